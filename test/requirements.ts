// The promises of mcp-hotline as a table. Test titles begin with the id that they prove (`P2 …`, or `P12.hold …` for a
// sub-item); tidy/requirements.test.ts compares the two. These are the only words for them: README shows those that
// have landed, and tidy/docs.test.ts compares. What a promise means in full is left to the documentation.

type Status = 'landed' | 'planned';

export interface Requirement {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly status: Status;
  /** Named `<id>.<word>`. One that has landed needs a test of its own; its tests count for the promise too. */
  readonly items?: readonly { readonly id: string; readonly text: string; readonly status: Status }[];
}

export const requirements: readonly Requirement[] = [
  {
    id: 'P1',
    title: 'one answer',
    text: 'A request of the client is answered exactly once, and at most once after the client has cancelled it.',
    status: 'landed',
  },
  {
    id: 'P2',
    title: 'same bytes',
    text: 'What the proxy need not change passes byte for byte; what it must change differs in that member alone.',
    status: 'landed',
  },
  {
    id: 'P3',
    title: 'order',
    text: 'Messages of one direction keep their order.',
    status: 'landed',
    items: [{ id: 'P3.hold', text: 'They keep it through a hold too.', status: 'landed' }],
  },
  {
    id: 'P4',
    title: 'fresh',
    text: 'A request that is sent after a save has returned is never run by older code, not even in the same millisecond.',
    status: 'landed',
  },
  {
    id: 'P5',
    title: 'content only',
    text: 'Only a change of bytes causes a build or a restart; time stamps and modes never do.',
    status: 'landed',
  },
  {
    id: 'P6',
    title: 'settles',
    text: 'Saves during a reload cause at most one more; at rest the serving code is what is on disk; no loop is endless.',
    status: 'landed',
  },
  {
    id: 'P7',
    title: 'survives a broken edit',
    text: 'A failing build or start leaves the old generation serving, and the agent is told why.',
    status: 'landed',
  },
  {
    id: 'P8',
    title: 'no double effects',
    text: 'What a server may have run already is sent again only where that does no harm.',
    status: 'landed',
  },
  {
    id: 'P9',
    title: 'lists',
    text: 'After a reload, list_changed goes out for exactly the lists that differ, once the new ones can be had.',
    status: 'landed',
  },
  {
    id: 'P10',
    title: 'no cross-talk',
    text: 'No answer, id or half line of one generation reaches another.',
    status: 'landed',
  },
  {
    id: 'P11',
    title: 'clean stdout',
    text: 'The client reads whole lines that are messages; whatever else the server prints goes to stderr with a hint.',
    status: 'landed',
  },
  {
    id: 'P12',
    title: 'bounded',
    text: 'A slow reader slows the writer down, memory stays flat, and a message has a greatest length.',
    status: 'landed',
    items: [{ id: 'P12.hold', text: 'A hold is limited in number, bytes and time, and says so.', status: 'landed' }],
  },
  {
    id: 'P13',
    title: 'clean exit',
    text: 'When the client closes stdin or signals, proxy, server and all their descendants are gone in time.',
    status: 'landed',
  },
  {
    id: 'P14',
    title: 'quiet failures',
    text: 'A log, state file or watcher that fails is reported and never touches the traffic.',
    status: 'landed',
  },
  {
    id: 'P15',
    title: 'crash recovery',
    text: 'A server that dies is started again, with back-off, and its calls are answered.',
    status: 'landed',
  },
  {
    id: 'P16',
    title: 'either era',
    text: 'All of this holds for legacy and for modern connections.',
    status: 'landed',
  },
  {
    id: 'P17',
    title: 'apart',
    text: 'Clients of one project share its files and builds and nothing else.',
    status: 'landed',
    items: [{ id: 'P17.share', text: 'With a shared server, each gets only its own.', status: 'landed' }],
  },
  {
    id: 'P18',
    title: 'nobody else',
    text: 'A socket serves only whom it is meant for, takes no command, and no secret is in a log.',
    status: 'landed',
  },
  {
    id: 'P19',
    title: 'only faster',
    text: 'A warm start serves nothing that a cold start would not have served.',
    status: 'planned',
  },
  {
    id: 'P20',
    title: 'unseen',
    text: 'Observers and companions never change, delay or reorder a message.',
    status: 'planned',
  },
  {
    id: 'P21',
    title: 'given back',
    text: 'unwrap after wrap leaves the file of a client byte for byte as it was; neither touches anything else in it.',
    status: 'landed',
  },
];
