/**
 * The next turn of the event loop, for all clients of one lineage: one callback serves them, so what they send within a
 * turn leaves together. What waits for it is for the gates of the clients.
 */
export class NextTurn {
  #due: (() => void)[] = [];
  readonly #take = (): void => {
    const due = this.#due;
    this.#due = [];
    for (const run of due) run();
  };

  wait(run: () => void): void {
    if (this.#due.push(run) === 1) setImmediate(this.#take);
  }
}
