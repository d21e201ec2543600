// The message and the exit code for a bug of mcp-hotline itself: EX_SOFTWARE of sysexits.h.

export function reportBug(error: unknown): number {
  const [message = '', ...frames] = String(error instanceof Error ? error.stack : error).split('\n');
  const at = frames.find((frame) => frame.trimStart().startsWith('at '))?.trim();
  process.stderr.write(`mcp-hotline: a bug in mcp-hotline ended it: ${message}${at === undefined ? '' : `, ${at}`}\n`);
  return 70;
}
