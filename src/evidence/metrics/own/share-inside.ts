/**
 * What is inside a share of events, such as that of failed requests: whose share moved, how that
 * ended, and who asks for more than before. More of the same is no worse share.
 */
import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import type { InstantAnswer } from '../../../sources/prometheus-answers.ts';
import { contributorsOf, type Leaders } from '../../../statistics/contributions.ts';
import { familiarLabels, outcomeLabels } from '../../../statistics/familiar-labels.ts';
import type { InsideFinding, OutcomeFact } from '../../inside-fact.ts';
import type { ShareParts } from '../../rule/share-parts.ts';
import type { Asker } from '../asking.ts';
import { namesOf, unnamedKey } from '../matching-labels.ts';
import { notesOf } from '../series-data.ts';
import { onlyOwn } from './ask-own.ts';

/** Most series to compare on one side. */
const seriesMax = 500;
/** Labels that tell how it ended, at most. */
const outcomesMax = 3;
/** The share of what leads moved at least this many times as far as that of the others. */
const aheadOfRest = 2;
/** There is clearly more to do for so many times as much as before. */
const grownMin = 1.5;
const grownShareMin = 0.8;

type Samples = InstantAnswer['samples'];

/** The samples of both sides, before the trouble began and when the alert fired. */
interface Sides {
  readonly part: readonly [Samples, Samples];
  readonly whole: readonly [Samples, Samples];
}

export interface AskedShare {
  readonly query: string;
  readonly sides: Sides;
  /** The alert is about the rest of the whole, and not the part above the line. */
  readonly isOfRest: boolean;
  /** The value is the rest of the whole. */
  readonly isRest: boolean;
  readonly isHighSide: boolean;
}

/** Null where there are too many series, or no answer. */
export async function askShare(
  asker: Asker,
  parts: ShareParts,
  { group, isHighSide, beforeMs, firedMs }: {
    readonly group: LabelSet; readonly isHighSide: boolean;
    readonly beforeMs: number; readonly firedMs: number;
  },
): Promise<AskedShare | null> {
  const [part, whole] = [parts.part, parts.whole]
    .map((inner) => `topk(${seriesMax + 1}, ${onlyOwn(inner, group)})`);
  if (part === undefined || whole === undefined) return null;
  const answers = await Promise.all([part, whole].flatMap((query) =>
    [beforeMs, firedMs].map((atMs) => asker.query('inside', query, atMs))));
  const isCut = answers.some((answer) => answer === null || notesOf(answer).truncated ||
    answer.samples.length > seriesMax);
  const [partBefore, partNow, wholeBefore, wholeNow] = answers.map((answer) =>
    (answer?.samples ?? []).filter(({ value }) => Number.isFinite(value)).map(({ labels, value }) =>
      ({ labels: without(labels, Object.keys(group)), value })));
  if (isCut || !partBefore || !partNow || !wholeBefore || !wholeNow) return null;
  return {
    query: whole, isRest: parts.isRest, isOfRest: parts.isRest === isHighSide, isHighSide,
    sides: { part: [partBefore, partNow], whole: [wholeBefore, wholeNow] },
  };
}

function without({ __name__: _, ...labels }: LabelSet, names: readonly string[]): LabelSet {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !names.includes(name)));
}

/** What all events with the same labels are, apart from how they ended. */
interface Kind {
  readonly labels: LabelSet;
  readonly part: [number, number];
  readonly whole: [number, number];
}

/**
 * Null where both sides share no label by which kinds of events can be told apart. `finding` is
 * null where no kind leads.
 */
export function shareFinding(asked: AskedShare): { finding: InsideFinding | null } | null {
  const { sides, isOfRest } = asked;
  const kinds = kindsIn(sides);
  if (kinds.length < 2) return null;
  const [wholeBefore, wholeNow] = totalsOf(kinds.map(({ whole }) => whole));
  const usual = totalsOf(kinds.map((kind) => hitIn(kind, isOfRest)))[0] / wholeBefore;
  const expected = kinds.map((kind) => {
    const [before, now] = hitIn(kind, isOfRest);
    const share = kind.whole[0] > 0 ? before / kind.whole[0] : usual;
    return { labels: kind.labels, before: share * kind.whole[1] || 0, after: now };
  });
  const moved = contributorsOf(expected, 'rise');
  const direction = asked.isHighSide ? 'rise' : 'fall';
  const leaders = moved?.kind === 'leaders'
    ? moved.leaders.filter((leader) => isAhead(leader, kinds, isOfRest)) : [];
  if (leaders.length > 0) {
    const outcome = outcomeIn(sides, { isOfRest, growth: wholeNow / wholeBefore });
    return { finding: {
      kind: 'leaders', leaders: leaders.map((each) => withShares(each, kinds, asked)), whole: null,
      direction, measured: 'share', outcome,
    } };
  }
  const grown = wholeNow >= grownMin * wholeBefore
    ? contributorsOf(kinds.map(({ labels, whole: [before, after] }) =>
      ({ labels, before, after })), 'rise') : null;
  const more = grown?.kind === 'leaders'
    ? grown.leaders.filter(({ share }) => share >= grownShareMin) : [];
  if (grown?.kind === 'leaders' && more.length > 0) {
    return { finding: { ...grown, leaders: more, direction: 'rise', measured: 'all' } };
  }
  return {
    finding: moved?.kind === 'spread' ? { ...moved, direction, measured: 'share' } : null,
  };
}

/** What has the larger part of the events has that of a share which moved alike everywhere, too. */
function isAhead({ label, values }: Leaders, kinds: readonly Kind[], isOfRest: boolean): boolean {
  const riseOf = (some: readonly Kind[]): number => {
    const [before, now] = totalsOf(some.map((kind) => hitIn(kind, isOfRest)));
    const [wholeBefore, wholeNow] = totalsOf(some.map(({ whole }) => whole));
    return (now / wholeNow || 0) - (before / wholeBefore || 0);
  };
  const isOwn = ({ labels }: Kind): boolean => values.includes(labelOf(labels, label) ?? '');
  return riseOf(kinds.filter(isOwn)) >=
    aheadOfRest * riseOf(kinds.filter((kind) => !isOwn(kind)));
}

/** How many of them the alert complains of. */
function hitIn({ part, whole }: Kind, isOfRest: boolean): [number, number] {
  return isOfRest ? [Math.max(0, whole[0] - part[0]), Math.max(0, whole[1] - part[1])] : part;
}

function totalsOf(all: readonly (readonly [number, number])[]): [number, number] {
  return all.reduce<[number, number]>(([before, now], each) =>
    [before + each[0], now + each[1]], [0, 0]);
}

function kindsIn({ part, whole }: Sides): Kind[] {
  const wholeNames = namesIn(whole.flat());
  const ended = outcomesIn({ part, whole });
  const names = namesIn(part.flat()).filter((name) => wholeNames.includes(name) &&
    !ended.includes(name));
  if (names.length === 0) return [];
  const kinds = new Map<string, Kind>();
  for (const [side, answers] of [['part', part], ['whole', whole]] as const) {
    for (const [moment, samples] of answers.entries()) {
      for (const { labels, value } of samples) {
        const own = Object.fromEntries(names.map((name) => [name, labelOf(labels, name) ?? '']));
        const key = unnamedKey(own);
        const kind = kinds.get(key) ?? { labels: own, part: [0, 0], whole: [0, 0] };
        kind[side][moment === 0 ? 0 : 1] += value;
        kinds.set(key, kind);
      }
    }
  }
  return [...kinds.values()];
}

function namesIn(samples: Samples): string[] {
  return familiarLabels(samples.map(({ labels }) => labels));
}

/**
 * Labels that tell how an event ended: they do so by their name, or the part has other values of
 * them than the rest of the whole has, at both moments, or the whole does not have them.
 */
function outcomesIn({ part, whole }: Sides): string[] {
  const chosen = new Set(part.flat().map(({ labels }) => unnamedKey(labels)));
  const rest = whole.flat().filter(({ labels }) => !chosen.has(unnamedKey(labels)));
  const all = whole.flat().map(({ labels }) => labels);
  const wholeNames = new Set(all.flatMap(namesOf));
  const known = outcomeLabels(all);
  return namesIn(part.flat()).filter((name) => {
    if (!wholeNames.has(name) || known.has(name)) return true;
    const values = new Set(part.flat().map(({ labels }) => labelOf(labels, name)));
    return rest.length > 0 && rest.every(({ labels }) => !values.has(labelOf(labels, name)));
  });
}

/** How nearly all of what came on top ended. */
function outcomeIn(
  sides: Sides,
  { isOfRest, growth }: { readonly isOfRest: boolean; readonly growth: number },
): OutcomeFact | null {
  const chosen = new Set(sides.part.flat().map(({ labels }) => unnamedKey(labels)));
  const [before, now] = isOfRest
    ? sides.whole.map((samples) => samples.filter(({ labels }) => !chosen.has(unnamedKey(labels))))
    : sides.part;
  const names = outcomesIn(sides).slice(0, outcomesMax);
  const hits = new Map<string, { labels: LabelSet; before: number; after: number }>();
  for (const [moment, samples] of [['before', before ?? []], ['after', now ?? []]] as const) {
    for (const { labels, value } of samples) {
      const own = Object.fromEntries(names.map((name) => [name, labelOf(labels, name) ?? '']));
      const hit = hits.get(unnamedKey(own)) ?? { labels: own, before: 0, after: 0 };
      hit[moment] += moment === 'before' ? value * growth : value;
      hits.set(unnamedKey(own), hit);
    }
  }
  const found = contributorsOf([...hits.values()], 'rise');
  const [first] = found?.kind === 'leaders' ? found.leaders : [];
  const [value, ...others] = first?.values ?? [];
  return first === undefined || value === undefined || others.length > 0 ? null
    : { label: first.label, value, share: first.share };
}

/** With the value that the rule would have for it alone. */
function withShares(leader: Leaders, kinds: readonly Kind[], { isRest }: AskedShare): Leaders {
  const own = kinds.filter(({ labels }) =>
    leader.values.includes(labelOf(labels, leader.label) ?? ''));
  const [part, whole] = [totalsOf(own.map((kind) => kind.part)),
    totalsOf(own.map((kind) => kind.whole))];
  const [before, after] = ([0, 1] as const).map((moment) => {
    const share = whole[moment] > 0 ? part[moment] / whole[moment] : 0;
    return isRest ? 1 - share : share;
  });
  return { ...leader, before: before ?? 0, after: after ?? 0 };
}
