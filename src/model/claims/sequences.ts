import { isAbout, timesAbout } from './match-number.ts';
import { isKnownMoment, timeFrom, type SaidMoment } from './moments.ts';
import { areNone, type Context, type Relation } from './relation.ts';

const moved = '(?:began|begun|started|rose|risen|jumped|spiked|climbed|climbing|grew|increased|' +
  'slowed|degraded|worsened|restarted|reloaded|changed|upgraded|deployed|happened)';
/** What moved may also have gone on moving; and what is unsure is not claimed. */
const goesOn = new RegExp(
  '\\b(?:continu\\w*|further|still|stay\\w*|remain\\w*|kept|keeps|even|again|not|never|no|if|' +
    "may|might|could|would|both|cannot|unlikely|hardly|too late)\\b|n['’]t\\b",
);
/** What moved before the alert, and what after it; `way` is -1 where the alert is named first. */
const sequence = (words: string, way: 1 | -1): Relation => ({
  words: new RegExp(words), unless: goesOn,
  isFalse: (place, { groups }) => {
    const { facts, clause, alertBegan } = place;
    const side = groups?.['side'] === 'before' ? way : -way;
    const times = facts.filter((fact) => isAbout(fact, clause, place) && fact.alertBegan === null)
      .flatMap((fact) => timesAbout(fact, place).map((at) => ({ at, grainMs: fact.grainMs })));
    return alertBegan !== null &&
      areNone(times, ({ at, grainMs }) => (alertBegan - at) * side >= -grainMs);
  },
});

export const sequences: readonly Relation[] = [
  // "The alert fired before CPU rose".
  sequence(
    `\\balert fired\\b[^.;]{0,30}?\\b(?<side>before|after)\\b [^.;]{0,40}?\\b${moved}\\b`, -1,
  ),
  // "CPU rose before the alert fired".
  sequence(
    `\\b${moved}\\b[^.;]{0,50}?\\b(?<side>before|after) (?:the|this) alert\\b` +
      '(?! (?:ended|resolved))(?: fired)?', 1,
  ),
  // "The reload set off the alert".
  sequence('\\b(?:caused|triggered|led to|set off) (?:the|this)\\b(?: alert\\b)?', -1),
];

const moving = new RegExp(`\\b${moved}\\b|\\bran out\\b`);

/** A part of a sentence with the moments in it. */
interface Dated {
  readonly words: string;
  readonly moments: readonly SaidMoment[];
}

/** The words that tell two events in the wrong order, of which the sentence dates one. */
export function wrongOrders(text: string, context: Context): string[] {
  const said = text.toLowerCase();
  return [...said.matchAll(/\b(?:before|after)\b/g)].flatMap(({ 0: word, index }) => {
    const start = Math.max(said.lastIndexOf(';', index), said.lastIndexOf('. ', index)) + 1;
    const length = said.slice(index).search(/;|\. |$/);
    const part = (from: number, to: number): Dated => ({
      words: said.slice(from, to),
      moments: context.moments.filter((moment) => moment.index >= from && moment.index < to),
    });
    const ahead = part(start, index);
    const behind = part(index + word.length, index + length);
    const isTold = [ahead, behind].every(({ words }) => moving.test(words) && !goesOn.test(words));
    const one = ahead.moments.at(-1) ?? null;
    const other = behind.moments[0] ?? null;
    if (!isTold || (one === null) === (other === null)) return [];
    const first = timesOf(ahead.words, one, other, context);
    const second = timesOf(behind.words, other, one, context);
    const way = word === 'before' ? 1 : -1;
    const apart = first.flatMap((from) => second.map((to) => way * timeFrom(from.at, to.at) +
      Math.max(from.grainMs, to.grainMs)));
    return areNone(apart, (milliseconds) => milliseconds >= 0) ? [word] : [];
  });
}

/** When the words' event was: as the sentence dates it, or else by the items about it. */
function timesOf(
  words: string,
  dated: SaidMoment | null,
  other: SaidMoment | null,
  context: Context,
): { readonly at: number; readonly grainMs: number }[] {
  if (dated !== null) return dated.time === null ? [] : [{ at: dated.time, grainMs: dated.grain }];
  return context.facts
    .filter((fact) => fact.alertBegan === null && isAbout(fact, words, context) &&
      !(other !== null && isKnownMoment(other, [fact])))
    .flatMap((fact) => timesAbout(fact, { clause: words, claim: words })
      .map((at) => ({ at, grainMs: fact.grainMs })));
}
