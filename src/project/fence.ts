/**
 * The fence of P4 (fresh): a wait after which every event that the kernel had queued before has been read. What is
 * hashed or decided then is left to the caller.
 */

/**
 * Lets the event loop poll once more. `onTurn`: the next turn begins, and who asks from now on needs a fence of his
 * own: the poll that this one waits for may come too early for him.
 */
export async function fence(onTurn: () => void = () => {}): Promise<void> {
  await new Promise<void>((resolve) => void setImmediate(resolve));
  onTurn();
  await new Promise<void>((resolve) => void setImmediate(resolve));
}
