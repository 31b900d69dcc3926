import type { Chance } from './chance.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { hostileText, mutateText } from './mutate-text.ts';

const numbers = [
  0, -0, 1, -1, 0.1, 1e300, -1e300, 5e-324, 2 ** 53, 2 ** 31, -(2 ** 31), 1e21, 1e15,
];

/** A copy in which about one value in `rarity` is replaced, removed or repeated. */
export function mutateValue(value: unknown, chance: Chance, rarity = 20): unknown {
  if (chance.oneIn(rarity)) return replacement(value, chance);
  if (Array.isArray(value)) {
    const items = value.map((item) => mutateValue(item, chance, rarity));
    if (chance.oneIn(rarity)) items.splice(chance.below(items.length + 1), chance.below(3));
    if (items.length > 0 && chance.oneIn(rarity)) items.push(chance.pick(items.map(boxed)).value);
    return items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value)
    .filter(() => !chance.oneIn(rarity * 2))
    .map(([name, member]) => [
      chance.oneIn(rarity * 2) ? mutateText(name, chance) : name,
      mutateValue(member, chance, rarity),
    ] as const);
  if (chance.oneIn(rarity)) members.push([hostileText(chance), scalar(chance)]);
  // Unlike assignment, this makes even `__proto__` an own member.
  return Object.fromEntries(members);
}

function boxed(value: unknown): { value: unknown } {
  return { value };
}

function replacement(value: unknown, chance: Chance): unknown {
  if (typeof value === 'string' && !chance.oneIn(3)) return mutateText(value, chance);
  if (typeof value === 'number' && chance.oneIn(2)) return chance.pick(numbers);
  switch (chance.below(4)) {
    case 0: return [value];
    case 1: return { [hostileText(chance)]: value };
    default: return scalar(chance);
  }
}

function scalar(chance: Chance): unknown {
  switch (chance.below(6)) {
    case 0: return null;
    case 1: return chance.oneIn(2);
    case 2: return chance.pick(numbers);
    case 3: return [];
    case 4: return {};
    default: return hostileText(chance);
  }
}

/** JSON with mutated values; one time in four its bytes are mutated too, so it may be invalid. */
export function mutatedJson(value: unknown, chance: Chance, rarity?: number): Buffer {
  const bytes = Buffer.from(JSON.stringify(mutateValue(value, chance, rarity)) ?? '');
  return chance.oneIn(4) ? mutateBytes(bytes, chance) : bytes;
}
