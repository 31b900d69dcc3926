/** Feedback that people gave on earlier reports, and what it supports: no more than they said. */
import type { ToldFeedback } from '../report/case-file.ts';
import type { Statement } from '../report/report.ts';
import { shownText } from '../report/shown-text.ts';
import { momentOf, utcText } from '../report/time-text.ts';
import { explanation, type Explained } from './causes/explanation.ts';
import { citing } from './citing.ts';
import type { Situation } from './situation.ts';

const causeMax = 200;
const othersToldMax = 2;
/** Below this many episodes called noise, it may be one person's bad night. */
const noiseEpisodesMin = 2;

const verdictWords = { right: 'right', partly: 'partly right', wrong: 'wrong' } as const;

export function feedbackFindings(situation: Situation): Statement[] {
  const { own, others } = saidOf(situation);
  const [last] = own;
  const noisy = own.filter((said) => said.noisy);
  return citing(citedIn(situation),
    last !== undefined && lastText(last, situation),
    noisy.length > 0 && noiseText(noisy, situation),
    ...others.filter(({ cause }) => cause !== null).slice(0, othersToldMax)
      .map((said) => otherText(said, situation)));
}

/**
 * Adds causes that people gave before, for this alert and for others of its name: as support where
 * the same cause was found, and otherwise before and after those found.
 */
export function joinedBySaid(found: readonly Explained[], situation: Situation): Explained[] {
  const { own, others } = saidOf(situation);
  const ofOwn = givenCause(own, lastText, situation);
  const ofOthers = givenCause(others, otherText, situation)
    .filter((said) => !ofOwn.some((own) => isSame(own, said)));
  const isNew = (said: Explained): boolean => !found.some((known) => isSame(known, said));
  const joined = found.map((known): Explained => {
    const support = [...ofOwn, ...ofOthers].filter((said) => isSame(known, said));
    if (support.length === 0) return known;
    const certainty = known.certainty === 'inconclusive' ? 'possible' : known.certainty;
    return { ...known, certainty, for: [...known.for, ...support.flatMap((each) => each.for)] };
  });
  return [...ofOwn.filter(isNew), ...joined, ...ofOthers.filter(isNew)];
}

/**
 * Puts the cause that people gave last first: of this episode in any case, as whoever gave it has
 * looked; of an earlier one unless another is confirmed.
 */
export function ledBySaid(ranked: readonly Explained[], situation: Situation): Explained[] {
  const { own } = saidOf(situation);
  const [said] = givenCause(own, lastText, situation);
  const last = own.find(({ cause }) => cause !== null);
  const found = said && ranked.find((known) => isSame(known, said));
  if (found === undefined || last === undefined) return [...ranked];
  const isOfThis = last.number === situation.caseFile.episode.number;
  const isProven = ranked.some(({ certainty }) => certainty === 'confirmed');
  if (!isOfThis && isProven) return [...ranked];
  const certainty = isOfThis && found.certainty === 'possible' ? 'likely' : found.certainty;
  return [{ ...found, certainty }, ...ranked.filter((each) => each !== found)];
}

/** The latest cause that people gave. */
function givenCause(
  list: readonly ToldFeedback[],
  textOf: TextOf,
  situation: Situation,
): Explained[] {
  const said = list.find(({ cause }) => cause !== null);
  if (said === undefined) return [];
  const support = citing(citedIn(situation), textOf(said, situation));
  return [explanation({ kind: 'stated', cause: said.cause ?? '' }, 'possible', support)];
}

/** A report that was wrong before may be wrong again. */
export function feedbackLowering(situation: Situation): Statement[] {
  const [last] = saidOf(situation).own;
  if (last?.verdict !== 'wrong') return [];
  return citing(citedIn(situation),
    `The on-call called the report on ${nameOf(last, situation)} wrong.`);
}

/** Several of the alert's episodes were called noise, the one last commented on among them. */
export function isCalledNoise(situation: Situation): boolean {
  const { own } = saidOf(situation);
  return own[0]?.noisy === true && own.filter(({ noisy }) => noisy).length >= noiseEpisodesMin;
}

function saidOf({ caseFile }: Situation): { own: ToldFeedback[]; others: ToldFeedback[] } {
  const isOwn = ({ fingerprint }: ToldFeedback): boolean =>
    fingerprint === caseFile.alert.fingerprint;
  return {
    own: caseFile.feedback.filter(isOwn),
    others: caseFile.feedback.filter((said) => !isOwn(said)),
  };
}

type TextOf = (said: ToldFeedback, situation: Situation) => string;

const lastText: TextOf = (said, situation) => {
  const name = nameOf(said, situation);
  if (said.cause === null) {
    return `The on-call called the report on ${name} ${verdictWords[said.verdict]}.`;
  }
  return `For ${name}, the on-call gave the cause as "${shownText(said.cause, causeMax)}".`;
};

const otherText: TextOf = (said, situation) => {
  const when = utcText(momentOf(said.startsAt, situation.now), situation.now);
  return `For another alert of this name (${when}), the on-call gave the cause as ` +
    `"${shownText(said.cause ?? '', causeMax)}".`;
};

function noiseText([last, ...more]: readonly ToldFeedback[], situation: Situation): string {
  const name = last === undefined ? '' : nameOf(last, situation);
  if (more.length === 0) return `The on-call called ${name} noise.`;
  const count = more.length + 1;
  return `The on-call called ${count} episodes of this alert noise, most recently ${name}.`;
}

/** `episode 3 (13 Nov 01:20 UTC)`. */
function nameOf({ number, startsAt }: ToldFeedback, { caseFile, now }: Situation): string {
  if (number === caseFile.episode.number) return 'this episode';
  return `episode ${number} (${utcText(momentOf(startsAt, now), now)})`;
}

function citedIn({ evidence }: Situation): string[] {
  return evidence.ids.feedback === null ? [] : [evidence.ids.feedback];
}

/**
 * Apart from case, punctuation and encoding. A cause of the family is the same for whichever of
 * several an answer named behind it, in parentheses or after a colon.
 */
function isSame(known: Explained, said: Explained): boolean {
  if (bare(known.cause) === bare(said.cause)) return true;
  const ofFamily = known.tested?.cause.cause;
  const ends = [said.cause.length,
    ...[...said.cause.matchAll(/ \(|: /gu)].map(({ index }) => index)];
  return ofFamily !== undefined &&
    ends.some((end) => bare(said.cause.slice(0, end)) === bare(ofFamily));
}

function bare(text: string): string {
  return text.normalize().toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim();
}
