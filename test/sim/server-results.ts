/** What a simulated server answers when all goes well. Whether it answers at all, and when, is server.ts's. */
import type { Message } from './facts.js';
import { PAGE, type Lists } from './lists.js';
import type { Program } from './script.js';

export const LIST_METHODS: Readonly<Record<string, keyof Lists>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};

interface Server {
  readonly isModern: boolean;
  readonly program: Program;
  readonly lists: Lists;
  readonly generation: number;
}

export function resultOf(request: Message, server: Server): Record<string, unknown> {
  const { isModern, program, generation } = server;
  const rest = isModern ? { resultType: 'complete' } : {};
  const cached = isModern ? { ttlMs: 60_000, cacheScope: 'private' } : {};
  const kind = LIST_METHODS[request.method ?? ''];
  if (kind !== undefined) return { ...pageOf(kind, request, server), ...rest, ...cached };
  const lists = program.lacks === true ? ['tools'] : ['tools', 'prompts', 'resources'];
  const capabilities = Object.fromEntries(lists.map((name) => [name, {}]));
  const serverInfo = { name: 'sim', version: '1' };
  switch (request.method) {
    case 'initialize':
      return { protocolVersion: '2025-06-18', capabilities, serverInfo };
    case 'server/discover':
      return { supportedVersions: ['2026-07-28'], capabilities, ...rest, ...cached };
    case 'tools/call':
      return { content: [{ type: 'text', text: `by ${generation}` }], ...rest };
    default:
      return rest;
  }
}

function pageOf(kind: keyof Lists, { params }: Message, { lists, program }: Server): Record<string, unknown> {
  const items = lists[kind];
  const at = typeof params?.['cursor'] === 'string' ? Number(params['cursor']) : 0;
  if (program.pages !== true) return { [kind]: items };
  const next = at + PAGE < items.length ? { nextCursor: String(at + PAGE) } : {};
  return { [kind]: items.slice(at, at + PAGE), ...next };
}
