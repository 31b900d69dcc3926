import { shortened } from '../../lib/shortened.ts';
import type { EvidenceItem, Hypothesis, Report } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { isoTime } from '../../report/time-text.ts';
import { kindsOfStrangers } from '../assertions/whose-words.ts';
import { labelsText } from '../tools/result-text.ts';

interface CaseTextOptions {
  /** All evidence that the text may cite: the report's own and the results of tools. */
  readonly evidence: readonly EvidenceItem[];
  /** UTF-16 units. */
  readonly lengthMax: number;
  /** Leaves out text from outside, which may have triggered the provider's content filter. */
  readonly isReduced: boolean;
  /** Wall time in milliseconds. */
  readonly now: number;
}

/** The largest share of the text for the alert and the conclusions of code. */
const headShare = 1 / 2;
const nameMax = 200;
const labelsMax = 4000;
/** Length of an annotation, and of a sentence that code wrote about the alert. */
const sentenceMax = 500;
const dataMax = 900;
const numbersShown = 12;

/** A case as text for a model. Nothing is masked. */
interface CaseText {
  /** What code says in its own words, without a word from outside. */
  readonly frame: string;
  /** The alert, the conclusions of code and the evidence, in which anybody may have written. */
  readonly data: string;
}

export function caseText(report: Report, options: CaseTextOptions): CaseText {
  const frame = frameText(report, options.now);
  const lengthMax = options.lengthMax - frame.length;
  const parts = [alertText(report, options.isReduced), conclusionsText(report, options)]
    .join('\n\n');
  const head = shortened(parts, Math.floor(lengthMax * headShare));
  const room = lengthMax - head.length;
  return { frame, data: shortened(`${head}\n\n${evidenceText(options, room)}`, lengthMax) };
}

function frameText({ verdict, hypotheses, episode }: Report, now: number): string {
  const end = episode.ends_at === null ? 'has not ended' : `ended at ${episode.ends_at}`;
  const listed = hypotheses.map(({ certainty }, index) => `H${index + 1} is ${certainty}`);
  return [
    `It is now ${isoTime(now)}. The alert began to fire at ${episode.starts_at} and ${end}.`,
    `Code has classified it as ${verdict.classification}; the certainty of the cause is ` +
      `${verdict.certainty}.${listed.length === 0 ? ' Code has no explanation.'
        : ` Of the explanations below, ${listed.join(', ')}.`}`,
  ].join('\n');
}

function alertText({ alert }: Report, isReduced: boolean): string {
  const labels = isReduced ? Object.keys(alert.labels).join(', ') : labelsText(alert.labels);
  const lines = [
    `Alert ${shownText(alert.name, nameMax)}, ` +
      `severity ${shownText(alert.severity ?? 'not said', nameMax)}`,
    `Labels: ${shortened(labels, labelsMax)}`,
  ];
  if (isReduced) return lines.join('\n');
  const annotations = Object.entries(alert.annotations).slice(0, 20).map(([name, value]) =>
    `Annotation ${name}: ${shownText(value, sentenceMax)}`);
  return [...lines, ...annotations].join('\n');
}

function conclusionsText(
  { verdict, hypotheses, ruled_out, unknowns }: Report,
  options: CaseTextOptions,
): string {
  return [
    `Code says: ${shownText(verdict.headline, sentenceMax)}`,
    ...hypotheses.flatMap((each, index) => {
      const isLeftOut = options.isReduced && quotesLogs(each, options.evidence);
      return isLeftOut ? [] : [hypothesisText(each, index)];
    }),
    ...ruled_out.map(({ cause, why }) => `Ruled out by code: ${cause}: ${why}`),
    ...unknowns.slice(0, 8).map(({ what, why }) => `Not known: ${what} ${why}`),
  ].join('\n');
}

/** Whether log lines are the first argument for the hypothesis, whose cause then quotes them. */
export function quotesLogs(
  { for: [first] }: Hypothesis,
  evidence: readonly EvidenceItem[],
): boolean {
  const kindOf = (id: string): string | undefined => evidence.find((item) => item.id === id)?.kind;
  return first !== undefined && first.evidence.some((id) => kindOf(id) === 'logs');
}

function hypothesisText(hypothesis: Hypothesis, index: number): string {
  const { cause, mechanism, certainty } = hypothesis;
  const because = (sign: string, statements: Hypothesis['for']): string[] =>
    statements.slice(0, 4).map(({ text, evidence }) => `${sign} ${text} [${evidence.join(', ')}]`);
  const parts = [
    `H${index + 1} (${certainty}): ${shownText(cause, sentenceMax)}`,
    ...(mechanism === null ? [] : [mechanism]),
    ...because('for:', hypothesis.for), ...because('against:', hypothesis.against),
  ];
  return parts.join(' | ');
}

/**
 * What was asked in vain takes one line. If room is short, data is left out; if it still is, each
 * item is cut to the same length.
 */
function evidenceText({ evidence, isReduced }: CaseTextOptions, room: number): string {
  const items = isReduced ? evidence.filter(({ kind }) => !kindsOfStrangers.has(kind)) : evidence;
  const answered = items.filter(({ state }) => state === 'ok');
  const rest = [
    ['Asked, and nothing came back', 'empty'], ['Not known, as it failed', 'failed'],
    ['Not known, as it is not configured', 'not_configured'],
  ].flatMap(([title, state]) => {
    const named = items.filter((item) => item.state === state)
      .map((item) => `${item.id} ${shownText(item.title, titleMax)}`);
    return named.length === 0 ? [] : [`${title}: ${named.join('; ')}`];
  });
  const tail = shortened(rest.join('\n'), Math.floor(room / 3));
  const left = room - tail.length - 1;
  const whole = answered.map((item) => `${headOf(item)}${dataText(item)}`).join('\n');
  if (whole.length <= left) return `${whole}\n${tail}`;
  const heads = answered.map(headOf);
  const bare = heads.join('\n');
  if (bare.length <= left) return `${bare}\n${tail}`;
  const each = Math.max(80, Math.floor(left / Math.max(1, answered.length)) - 1);
  return `${heads.map((head) => shortened(head, each)).join('\n')}\n${tail}`;
}

const titleMax = 120;

function headOf({ id, source, title, summary, query }: EvidenceItem): string {
  const asked = query === null || title.includes(query) ? '' : ` Query: ${shownText(query, 400)}`;
  return `${id} (${source}): ${title}. ${summary}${asked}`;
}

function dataText({ data }: EvidenceItem): string {
  if (typeof data !== 'object' || data === null) return '';
  // What is not known takes room and tells nothing; "split" only divides a drawing.
  const text = JSON.stringify(data, (name, value: unknown) =>
    value === null || name === 'split' && typeof value === 'number' ? undefined : thinned(value));
  return ` Data: ${shortened(text, dataMax)}`;
}

/** Long lists of numbers are reduced to a few samples, with bounds and the last value. */
function thinned(value: unknown): unknown {
  if (!Array.isArray(value) || value.length <= numbersShown) return value;
  const numbers = value.filter((each): each is number => typeof each === 'number');
  if (numbers.length === 0) return value.slice(0, numbersShown) as unknown[];
  const gap = (value.length - 1) / (numbersShown - 1);
  const samples = Array.from({ length: numbersShown }, (_, index) =>
    value[Math.round(index * gap)] as unknown);
  const min = numbers.reduce((a, b) => Math.min(a, b));
  const max = numbers.reduce((a, b) => Math.max(a, b));
  return { points: value.length, min, max, last: numbers.at(-1), course: samples };
}
