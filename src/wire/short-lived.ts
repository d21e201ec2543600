/**
 * A set and a map for members that come and go with every request, in the order in which they came. The ones that
 * JavaScript has are not for that: they discard a table every few dozen members, and each discarded table refers to the
 * next and to the members of its time. Once one of them is in V8's old generation, all that follow stay in memory until
 * the whole heap is collected, with the requests of their members (figures: docs/PERFORMANCE.md). Members are searched
 * for one by one, the latest first: there are some dozens, rarely thousands. Pure.
 */

export class ShortLivedMap<K, V> implements Iterable<readonly [K, V]> {
  readonly #keys: K[] = [];
  readonly #values: V[] = [];

  get size(): number {
    return this.#keys.length;
  }

  has(key: K): boolean {
    return this.#keys.lastIndexOf(key) >= 0;
  }

  get(key: K): V | undefined {
    const at = this.#keys.lastIndexOf(key);
    return at < 0 ? undefined : this.#values[at];
  }

  set(key: K, value: V): void {
    const at = this.#keys.lastIndexOf(key);
    if (at >= 0) this.#values[at] = value;
    else {
      this.#keys.push(key);
      this.#values.push(value);
    }
  }

  delete(key: K): boolean {
    const at = this.#keys.lastIndexOf(key);
    if (at < 0) return false;
    this.#keys.splice(at, 1);
    this.#values.splice(at, 1);
    return true;
  }

  clear(): void {
    this.#keys.length = 0;
    this.#values.length = 0;
  }

  /** Those that are there now: whoever looks through them may add some and delete some. */
  keys(): readonly K[] {
    return this.#keys.slice();
  }

  values(): readonly V[] {
    return this.#values.slice();
  }

  [Symbol.iterator](): Iterator<readonly [K, V]> {
    const values = this.#values.slice();
    return this.#keys.map((key, at) => [key, values[at] as V] as const).values();
  }
}

export class ShortLivedSet<T> implements Iterable<T> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  has(member: T): boolean {
    return this.#members.lastIndexOf(member) >= 0;
  }

  add(member: T): void {
    if (!this.has(member)) this.#members.push(member);
  }

  delete(member: T): boolean {
    const at = this.#members.lastIndexOf(member);
    if (at < 0) return false;
    this.#members.splice(at, 1);
    return true;
  }

  /** Those that are there now: whoever looks through them may add some and delete some. */
  [Symbol.iterator](): Iterator<T> {
    return this.#members.slice().values();
  }
}
