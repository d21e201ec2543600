// The shape of a group: what is measured together, once. How often, and what the figures mean, is for others.
import type { Ground } from '../ways.js';

/** Figures by name. Less is better, of every one. */
export type Sample = Readonly<Record<string, number>>;

export type Group = (ground: Ground, full: boolean) => Promise<Sample>;
