import { shortened } from '../lib/shortened.ts';

/** Bounds on the data of one evidence item, so that a report stays small enough to send. */
const textMax = 500;
const membersMax = 64;
/** Numbers in a list: the most points that a chart draws. */
const numbersMax = 361;
const depthMax = 6;
const charactersMax = 8000;

/**
 * A copy of plain data, with its texts, members and total size cut to bounds, and whether anything
 * was cut. Names such as `__proto__` stay ordinary members.
 */
export function clipData(value: unknown): { data: unknown; clipped: boolean } {
  const budget = { left: charactersMax, clipped: false };
  return { data: clip(value, depthMax, budget), clipped: budget.clipped };
}

interface Budget {
  left: number;
  clipped: boolean;
}

function clip(value: unknown, depth: number, budget: Budget): unknown {
  if (typeof value === 'string') return clipText(value, budget);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (depth === 0) {
    budget.clipped = true;
    return null;
  }
  if (Array.isArray(value)) {
    return bounded(value, budget).map((item: unknown) => clip(item, depth - 1, budget));
  }
  const members = bounded(Object.entries(value), budget).map(([name, member]) => [
    clipText(name, budget),
    clip(member, depth - 1, budget),
  ]);
  return Object.fromEntries(members) as unknown;
}

function bounded<T>(list: readonly T[], budget: Budget): readonly T[] {
  const arePoints = list.every((item) => item === null || typeof item === 'number');
  const max = arePoints ? numbersMax : membersMax;
  if (list.length > max) budget.clipped = true;
  return list.slice(0, max);
}

function clipText(text: string, budget: Budget): string {
  const length = Math.max(0, Math.min(textMax, budget.left));
  budget.left -= Math.min(text.length, length);
  if (text.length > length) budget.clipped = true;
  return shortened(text, length);
}
