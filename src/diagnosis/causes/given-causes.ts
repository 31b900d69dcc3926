/** Feedback that people gave on earlier reports, and what it supports: no more than they stated. */
import type { KnownFeedback } from '../../report/case-file.ts';
import type { Statement } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { momentOf, utcText } from '../../report/time-text.ts';
import { citing } from '../citing.ts';
import type { Situation } from '../situation.ts';
import { explanation, type Explained } from './explanation.ts';

const causeMax = 200;
const othersShownMax = 2;
/** Below this many episodes called noise, it may be one person's bad night. */
const noiseEpisodesMin = 2;

const verdictWords = { right: 'right', partly: 'partly right', wrong: 'wrong' } as const;

export function feedbackFindings(situation: Situation): Statement[] {
  const { own, others } = feedbackOf(situation);
  const [last] = own;
  const noisy = own.filter((given) => given.noisy);
  return citing(citedIn(situation),
    last !== undefined && lastText(last, situation),
    noisy.length > 0 && noiseText(noisy, situation),
    ...others.filter(({ cause }) => cause !== null).slice(0, othersShownMax)
      .map((given) => otherText(given, situation)));
}

/**
 * Adds causes that people gave before, for this alert and for others of its name: as support where
 * the same cause was found, and otherwise before and after those found.
 */
export function withGivenCauses(found: readonly Explained[], situation: Situation): Explained[] {
  const { own, others } = feedbackOf(situation);
  const ofOwn = givenCause(own, lastText, situation);
  const ofOthers = givenCause(others, otherText, situation)
    .filter((given) => !ofOwn.some((own) => isSame(own, given)));
  const isNew = (given: Explained): boolean => !found.some((known) => isSame(known, given));
  const joined = found.map((known): Explained => {
    const support = [...ofOwn, ...ofOthers].filter((given) => isSame(known, given));
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
export function givenCauseFirst(ranked: readonly Explained[], situation: Situation): Explained[] {
  const { own } = feedbackOf(situation);
  const [given] = givenCause(own, lastText, situation);
  const last = own.find(({ cause }) => cause !== null);
  const found = given && ranked.find((known) => isSame(known, given));
  if (found === undefined || last === undefined) return [...ranked];
  const isOfThis = last.number === situation.caseFile.episode.number;
  const isProven = ranked.some(({ certainty }) => certainty === 'confirmed');
  if (!isOfThis && isProven) return [...ranked];
  const certainty = isOfThis && found.certainty === 'possible' ? 'likely' : found.certainty;
  return [{ ...found, certainty }, ...ranked.filter((each) => each !== found)];
}

/** The latest cause that people gave. */
function givenCause(
  list: readonly KnownFeedback[],
  textOf: TextOf,
  situation: Situation,
): Explained[] {
  const given = list.find(({ cause }) => cause !== null);
  if (given === undefined) return [];
  const support = citing(citedIn(situation), textOf(given, situation));
  return [explanation({ kind: 'stated', cause: given.cause ?? '' }, 'possible', support)];
}

/** A report that was wrong before may be wrong again. */
export function feedbackLowering(situation: Situation): Statement[] {
  const [last] = feedbackOf(situation).own;
  if (last?.verdict !== 'wrong') return [];
  return citing(citedIn(situation),
    `The on-call rated the report on ${nameOf(last, situation)} as wrong.`);
}

/** Several of the alert's episodes were called noise, the one last commented on among them. */
export function isCalledNoise(situation: Situation): boolean {
  const { own } = feedbackOf(situation);
  return own[0]?.noisy === true && own.filter(({ noisy }) => noisy).length >= noiseEpisodesMin;
}

function feedbackOf({ caseFile }: Situation): { own: KnownFeedback[]; others: KnownFeedback[] } {
  const isOwn = ({ fingerprint }: KnownFeedback): boolean =>
    fingerprint === caseFile.alert.fingerprint;
  return {
    own: caseFile.feedback.filter(isOwn),
    others: caseFile.feedback.filter((given) => !isOwn(given)),
  };
}

type TextOf = (given: KnownFeedback, situation: Situation) => string;

const lastText: TextOf = (given, situation) => {
  const name = nameOf(given, situation);
  if (given.cause === null) {
    return `The on-call rated the report on ${name} as ${verdictWords[given.verdict]}.`;
  }
  return `For ${name}, the on-call gave the cause as "${shownText(given.cause, causeMax)}".`;
};

const otherText: TextOf = (given, situation) => {
  const when = utcText(momentOf(given.startsAt, situation.now), situation.now);
  return `For another alert of this name (${when}), the on-call gave the cause as ` +
    `"${shownText(given.cause ?? '', causeMax)}".`;
};

function noiseText([last, ...more]: readonly KnownFeedback[], situation: Situation): string {
  const name = last === undefined ? '' : nameOf(last, situation);
  if (more.length === 0) return `The on-call called ${name} noise.`;
  const count = more.length + 1;
  return `The on-call called ${count} episodes of this alert noise, most recently ${name}.`;
}

/** `episode 3 (13 Nov 01:20 UTC)`. */
function nameOf({ number, startsAt }: KnownFeedback, { caseFile, now }: Situation): string {
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
function isSame(known: Explained, given: Explained): boolean {
  if (bare(known.cause) === bare(given.cause)) return true;
  const ofFamily = known.tested?.cause.cause;
  const ends = [given.cause.length,
    ...[...given.cause.matchAll(/ \(|: /gu)].map(({ index }) => index)];
  return ofFamily !== undefined &&
    ends.some((end) => bare(given.cause.slice(0, end)) === bare(ofFamily));
}

function bare(text: string): string {
  return text.normalize().toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim();
}
