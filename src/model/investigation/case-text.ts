import { shortened } from '../../lib/shortened.ts';
import type { EvidenceItem, Hypothesis, Report } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { kindsOfStrangers } from '../claims/whose-words.ts';
import { labelsText } from '../tools/result-text.ts';

interface CaseTextOptions {
  /** All evidence that the text may cite: the report's own and the results of tools. */
  readonly evidence: readonly EvidenceItem[];
  /** UTF-16 units. */
  readonly lengthMax: number;
  /** Leaves out text from outside, which may have triggered the provider's content filter. */
  readonly isReduced: boolean;
}

/** The largest share of the text for the alert and the conclusions of code. */
const headShare = 1 / 2;
const nameMax = 200;
const labelsMax = 4000;
/** Length of an annotation, and of a sentence that code wrote about the alert. */
const sentenceMax = 500;
const dataMax = 500;
const numbersShown = 12;

/** The alert, the conclusions of code and the evidence, as text for a model. Nothing is masked. */
export function caseText(report: Report, options: CaseTextOptions): string {
  const told = [alertText(report, options.isReduced), conclusionsText(report, options)]
    .join('\n\n');
  const head = shortened(told, Math.floor(options.lengthMax * headShare));
  const room = options.lengthMax - head.length;
  return shortened(`${head}\n\n${evidenceText(options, room)}`, options.lengthMax);
}

function alertText({ alert, episode }: Report, isReduced: boolean): string {
  const labels = isReduced ? Object.keys(alert.labels).join(', ') : labelsText(alert.labels);
  const end = episode.ends_at === null ? 'not ended' : `ended ${episode.ends_at}`;
  const lines = [
    `Alert ${shownText(alert.name, nameMax)}, ` +
      `severity ${shownText(alert.severity ?? 'not said', nameMax)}`,
    `Labels: ${shortened(labels, labelsMax)}`,
    `Firing since ${episode.starts_at}, ${end}`,
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
    `Code classified it as ${verdict.classification}, certainty ${verdict.certainty}: ` +
      shownText(verdict.headline, sentenceMax),
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

/** If room is short, data is left out; if it still is, each item is cut to the same length. */
function evidenceText({ evidence, isReduced }: CaseTextOptions, room: number): string {
  const items = isReduced ? evidence.filter(({ kind }) => !kindsOfStrangers.has(kind)) : evidence;
  const whole = items.map((item) => `${headOf(item)}${dataText(item)}`).join('\n');
  if (whole.length <= room) return whole;
  const heads = items.map(headOf);
  const bare = heads.join('\n');
  if (bare.length <= room) return bare;
  const each = Math.max(80, Math.floor(room / Math.max(1, items.length)) - 1);
  return heads.map((head) => shortened(head, each)).join('\n');
}

function headOf({ id, source, state, title, summary, query }: EvidenceItem): string {
  const stated = state === 'ok' ? '' : `, ${state}`;
  const asked = query === null || title.includes(query) ? '' : ` Query: ${shownText(query, 400)}`;
  return `${id} (${source}${stated}): ${title}. ${summary}${asked}`;
}

function dataText({ data }: EvidenceItem): string {
  if (typeof data !== 'object' || data === null) return '';
  // What is not known takes room and tells nothing; "split" only divides a drawing.
  const text = JSON.stringify(data, (name, value: unknown) =>
    value === null || name === 'split' && typeof value === 'number' ? undefined : thinned(value));
  return ` Data: ${shortened(text, dataMax)}`;
}

/** Long lists of numbers are reduced to their count, bounds and last value. */
function thinned(value: unknown): unknown {
  if (!Array.isArray(value) || value.length <= numbersShown) return value;
  const numbers = value.filter((each): each is number => typeof each === 'number');
  if (numbers.length === 0) return value.slice(0, numbersShown) as unknown[];
  const min = numbers.reduce((a, b) => Math.min(a, b));
  const max = numbers.reduce((a, b) => Math.max(a, b));
  return { points: value.length, min, max, last: numbers.at(-1) };
}
