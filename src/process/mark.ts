/**
 * The mark by which the processes of one proxy's servers are known, wherever they have gone: a variable that
 * descendants inherit. A proxy may be the server of another, so the value is a list, and each proxy adds to what it was
 * given. Pure; marked.ts looks for it.
 */

/** Not an option, in spite of its name: config/environment.ts knows it. */
export const MARK = 'MCP_HOTLINE_MARK';

/**
 * Unique among all proxies: the process, the time and chance. Made without node:crypto, which the start of the first
 * server would have to wait for; nobody gains anything by guessing it.
 */
export function newMark(): string {
  const chance = Math.random().toString(36).slice(2, 12);
  return `${process.pid}-${Date.now().toString(36)}-${chance}`;
}

/** The variable's value for this generation. `inherited`: what the proxy's own environment holds. */
export function markValue(inherited: string | undefined, mark: string, generation: number): string {
  const own = `${mark}:${generation}`;
  return inherited === undefined || inherited === '' ? own : `${inherited},${own}`;
}

/** Whether a process whose variable has this value descends from that generation, or from any of this proxy's. */
export function isMarked(value: string, mark: string, generation: number | undefined): boolean {
  const wanted = generation === undefined ? `${mark}:` : `${mark}:${generation}`;
  return value.split(',').some((one) => (generation === undefined ? one.startsWith(wanted) : one === wanted));
}
