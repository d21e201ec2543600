/**
 * The simulated event loop: a clock that stands still between events, timers, immediates, and sources of input that are
 * polled in an order that only the seed knows. Real promises run in between, to their end. What the input is, and who
 * takes the place of Node's own timers, is for others (patches.ts).
 */
import { setImmediate as realImmediate } from 'node:timers';
import type { Random } from '../support/random.js';

export interface Timer {
  at: number;
  fire: (() => void) | undefined;
  /** The simulation waits for whom it wants. */
  ref(): Timer;
  unref(): Timer;
}

interface Source {
  readonly items: { readonly at: number; readonly deliver: () => void }[];
  /** It may be passed over in a poll, but not twice running: a save that came first is known after two polls. */
  readonly prompt: boolean;
  passedOver: boolean;
}

/** A turn of the loop takes a little. */
const TURN = 0.02;
/** More turns than any run needs. */
const LIVELOCK = 200_000;

export class Kernel {
  random: Random;
  #clock = 1000;
  readonly #timers: Timer[] = [];
  #immediates: (() => void)[] = [];
  readonly #sources = new Map<string, Source>();
  #turns = 0;
  /** Set by whoever has seen enough: the run ends. */
  stopped = false;

  constructor(random: Random) {
    this.random = random;
  }

  /** Never the same twice, as on a real machine. */
  now(): number {
    return (this.#clock += 0.0001);
  }

  get time(): number {
    return this.#clock;
  }

  timer(ms: number, fire: () => void): Timer {
    const timer: Timer = { at: this.#clock + Math.max(1, ms), fire, ref: () => timer, unref: () => timer };
    this.#timers.push(timer);
    return timer;
  }

  /** Returns what `clear` takes. */
  interval(ms: number, run: () => void): Timer {
    const fire = (): void => {
      timer.at = this.#clock + Math.max(1, ms);
      timer.fire = fire;
      this.#timers.push(timer);
      run();
    };
    const timer = this.timer(ms, fire);
    return timer;
  }

  clear(timer: Timer): void {
    timer.fire = undefined;
    const at = this.#timers.indexOf(timer);
    if (at >= 0) this.#timers.splice(at, 1);
  }

  immediate(run: () => void): void {
    this.#immediates.push(run);
  }

  /** Something to be read, `after` ms from now at the earliest. What comes from one source keeps its order. */
  input(from: string, after: number, deliver: () => void, prompt = false): void {
    let source = this.#sources.get(from);
    if (source === undefined) this.#sources.set(from, (source = { items: [], prompt, passedOver: false }));
    const last = source.items.at(-1)?.at ?? 0;
    source.items.push({ at: Math.max(last, this.#clock + after), deliver });
  }

  /** What has not been read from there never will be. */
  discard(from: string): void {
    this.#sources.delete(from);
  }

  async turns(count: number): Promise<void> {
    for (let turn = 0; turn < count && !this.stopped; turn++) {
      this.#clock += TURN;
      await this.#turn();
    }
  }

  /** Lets so much time pass. */
  async pass(ms: number): Promise<void> {
    const until = this.#clock + ms;
    await settled();
    while (!this.stopped) {
      if (this.#immediates.length > 0) this.#clock += TURN;
      else {
        const next = this.#next();
        if (next > until) break;
        this.#clock = Math.max(this.#clock, next);
      }
      await this.#turn();
    }
    this.#clock = Math.max(this.#clock, until);
  }

  #next(): number {
    let next = Infinity;
    for (const { at } of this.#timers) if (at < next) next = at;
    for (const { items } of this.#sources.values()) {
      const first = items[0];
      if (first !== undefined && first.at < next) next = first.at;
    }
    return next;
  }

  async #turn(): Promise<void> {
    if (++this.#turns > LIVELOCK) throw new Error('the event loop never comes to rest');
    const due = this.#timers.filter((timer) => timer.at <= this.#clock).sort((a, b) => a.at - b.at);
    for (const timer of due) {
      const { fire } = timer;
      this.clear(timer);
      if (fire === undefined) continue;
      fire();
      await settled();
    }
    await this.#poll();
    const immediates = this.#immediates;
    this.#immediates = [];
    for (const run of immediates) {
      run();
      await settled();
    }
  }

  async #poll(): Promise<void> {
    const ready: [string, Source][] = [];
    for (const [name, source] of this.#sources) {
      const first = source.items[0];
      if (first === undefined) this.#sources.delete(name);
      else if (first.at <= this.#clock) ready.push([name, source]);
    }
    if (ready.length > 1) this.random.shuffle(ready);
    const limit = this.#clock;
    for (const [name, source] of ready) {
      if (!(source.prompt && source.passedOver) && this.random.once(8)) {
        source.passedOver = true;
        continue;
      }
      source.passedOver = false;
      const most = source.prompt ? Infinity : 1 + this.random.below(4);
      for (let taken = 0; taken < most; taken++) {
        if (this.#sources.get(name) !== source) break;
        const first = source.items[0];
        if (first === undefined || first.at > limit) break;
        source.items.shift();
        first.deliver();
        await settled();
      }
    }
  }
}

/** Resolves when every promise and every tick has run that can run without the loop. */
export function settled(): Promise<void> {
  return new Promise((resolve) => realImmediate(resolve));
}
