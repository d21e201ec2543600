/** What a person needs of a failure: the seed that brings it back, and the shortest story of how it comes about. */
import { run } from './run.js';
import type { Script } from './script.js';
import { shrink } from './shrink.js';

/** The usual values; the others are worth telling. */
const USUAL: Readonly<Record<string, unknown>> = {
  discovers: false,
  strategy: 'overlap',
  hold: 50_000,
  restartDelay: 0,
  onFailure: 'report',
  whileReloading: 'hold',
  retry: 'safe',
  notify: 'changed',
  agentTools: false,
  builds: false,
  debounce: 100,
  slowDisk: 0,
};

/** `again`: the arguments that bring it back. */
export async function report(whole: Script, again: string): Promise<string> {
  const { seed } = whole;
  const { breach } = await run(whole);
  if (breach === undefined) return `seed ${seed}: every promise was kept`;
  const { script, outcome, tries } = await shrink(whole, breach.promise);
  return [
    `seed ${seed}: ${breach.promise} is broken: ${breach.text}`,
    `${whole.events.length} events made ${script.events.length} in ${tries} runs:`,
    ...story(script),
    'what happens:',
    ...outcome.trace.map((line) => `  ${line.length > 300 ? `${line.slice(0, 300)}…` : line}`),
    `again: npm run prove sim -- ${again}`,
  ].join('\n');
}

function story({ setting, programs, events, mends, others = [] }: Script): string[] {
  const options = Object.entries(setting).filter(([name, value]) => value !== undefined && USUAL[name] !== value);
  return [
    `  options: ${options.map(([name, value]) => `${name} ${value}`).join(', ')}`,
    ...(others.length > 0 ? [`  further clients: ${others.join(', ')}`] : []),
    ...programs.flatMap((program, at) =>
      Object.keys(program).length === 0 ? [] : [`  main.js ${at} (+${programs.length}…): ${JSON.stringify(program)}`],
    ),
    ...events.map((event) => {
      const { turns, ms } = event;
      const deed = Object.entries(event).filter(([name]) => !['salt', 'turns', 'ms'].includes(name));
      const pause = ms > 0 ? `, then ${ms} ms` : turns > 0 ? `, then ${turns} turns` : '';
      return `  ${JSON.stringify(Object.fromEntries(deed))}${pause}`;
    }),
    ...(mends ? ['  in the end a good program is saved'] : []),
  ];
}
