// What is said, and with which code one exits, when mcp-hotline itself is at fault: EX_SOFTWARE of sysexits.h.

export function reportBug(error: unknown): number {
  const [message = '', ...frames] = String(error instanceof Error ? error.stack : error).split('\n');
  const at = frames.find((frame) => frame.trimStart().startsWith('at '))?.trim();
  process.stderr.write(`mcp-hotline: a bug in mcp-hotline ended it: ${message}${at === undefined ? '' : `, ${at}`}\n`);
  return 70;
}
