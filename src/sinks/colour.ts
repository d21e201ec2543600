// Whether lines for people are coloured. Which colours they have is left to those who write them.

/** Whether a stream is a terminal that wants colour. */
export function wantsColour(stream: object, env: NodeJS.ProcessEnv): boolean {
  return 'isTTY' in stream && stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}
