/**
 * The fence of P4 (fresh): a wait after which every event that the kernel had queued before has been read. What is
 * hashed or decided then is left to the caller.
 */
/** Lets the event loop poll once more: whatever was saved before now has stirred when this resolves. */
export async function fence(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => void setImmediate(resolve));
}
