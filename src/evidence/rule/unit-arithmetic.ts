import { calculated } from '../../lib/promql/scalar.ts';

/**
 * An operand of an expression: a plain number, or a quantity in units of `size` times its base,
 * per second if it is a rate. The base is null if the names do not tell it.
 */
export type Operand = { readonly kind: 'number'; readonly value: number } | UnitQuantity;

export interface UnitQuantity {
  readonly kind: 'quantity';
  readonly base: string | null;
  readonly isRate: boolean;
  readonly size: number;
}

interface Operands {
  readonly left: Operand | null;
  readonly right: Operand | null;
  /** With `group_left` or `group_right`, one side may only serve to add labels. */
  readonly isJoined: boolean;
}

/** The result of two operands; null if its unit is unknown. */
export function combine(sign: string, { left, right, isJoined }: Operands): Operand | null {
  if (sign === 'and' || sign === 'unless') return left;
  if (left === null || right === null) return null;
  const [a, b] = [left, right];
  if (a.kind === 'number' && b.kind === 'number') {
    return { kind: 'number', value: calculated(sign, a.value, b.value) };
  }
  switch (sign) {
    // The values may be of either, so both units have to be known.
    case 'or': return isUnknown(a) === isUnknown(b) ? common(a, b) : null;
    case '+': case '-': return common(a, b);
    case '*': return product(a, b, isJoined);
    case '/': return quotient(a, b);
    case '%': case '^': case 'atan2': return null;
    // A comparison passes values through unchanged.
    default: return a.kind === 'number' ? b : a;
  }
}

function isUnknown(part: Operand): boolean {
  return part.kind === 'quantity' && part.base === null;
}

/** `1 - ratio` is a ratio; only equal units can be added. */
function common(a: Operand, b: Operand): Operand | null {
  if (a.kind === 'number') return b;
  if (b.kind === 'number') return a;
  if (a.base === null || b.base === null) return a.base === null ? b : a;
  return a.base === b.base && a.isRate === b.isRate && a.size === b.size ? a : null;
}

function product(a: Operand, b: Operand, isJoined: boolean): Operand | null {
  if (a.kind === 'number') return b.kind === 'number' ? null : scaled(b, 1 / a.value);
  if (b.kind === 'number') return scaled(a, 1 / b.value);
  if (a.base === null && b.base === null) return { ...a, size: a.size * b.size };
  if (!isJoined || (a.base !== null && b.base !== null)) return null;
  return a.base === null ? b : a;
}

function scaled(quantity: UnitQuantity, factor: number): UnitQuantity | null {
  const size = quantity.size * factor;
  return size > 0 && Number.isFinite(size) ? { ...quantity, size } : null;
}

/** Equal units give a ratio; an amount divided by a count gives a mean in its own unit. */
function quotient(a: Operand, b: Operand): Operand | null {
  if (b.kind === 'number') return a.kind === 'number' ? null : scaled(a, b.value);
  if (a.kind === 'number') return null;
  const size = a.size / b.size;
  const isRate = a.isRate && !b.isRate;
  if (a.base === null || b.base === null) return { kind: 'quantity', base: null, isRate, size };
  const isCounted = b.base === 'count' || b.base === 'series';
  if (a.base === b.base && a.isRate === b.isRate) {
    return { kind: 'quantity', base: 'ratio', isRate: false, size };
  }
  if (a.base === b.base && b.isRate) {
    return { kind: 'quantity', base: 'seconds', isRate: false, size };
  }
  const isPerTime = b.isRate && !a.isRate;
  return isCounted && !isPerTime ? { ...a, isRate, size } : null;
}
