/** Makes a line that shows a difference as short and plain as it gets while it still shows one. */

const MOST = 4000;

export function shrink(line: Buffer, differs: (line: Buffer) => boolean): Buffer {
  let least = line;
  let tries = 0;
  const takes = (next: Buffer): boolean => {
    if (tries++ > MOST || !differs(next)) return false;
    least = next;
    return true;
  };
  for (let before = -1; before !== least.length && tries <= MOST;) {
    before = least.length;
    for (let size = Math.ceil(least.length / 2); size >= 1; size = Math.floor(size / 2)) {
      for (let at = 0; at + size <= least.length;) {
        if (!takes(Buffer.concat([least.subarray(0, at), least.subarray(at + size)]))) at += size;
      }
    }
  }
  for (let at = 0; at < least.length; at++) {
    const plain = Buffer.from(least);
    plain[at] = 0x61;
    if (least[at] !== 0x61) takes(plain);
  }
  return least;
}
