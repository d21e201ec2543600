/** What a line is, and the little of it that decides where it goes. Types only; scan.ts finds it out. */

export type Envelope =
  | { readonly kind: 'request'; readonly id: Id; readonly method: string }
  | { readonly kind: 'notification'; readonly method: string }
  | { readonly kind: 'response'; readonly id: Id; readonly error: boolean }
  | { readonly kind: 'batch' }
  | { readonly kind: 'invalid' };

/** An id as the raw JSON token that was read: `0`, `"a"`, `null`. */
export type Id = string;
