import { hasNoData, type Alert } from '../alert/alert.ts';
import { labelOf, type LabelSet } from '../alert/labels.ts';
import type { Report } from './report.ts';
import { shownClause, shownText } from './shown-text.ts';

const wordsMax = 200;

/** Annotations in which a rule's author says what is wrong, the shortest text first. */
const wordedBy: readonly string[] = ['summary', 'title', 'description', 'message'];

/** What a template like `(instance {{ $labels.instance }})` leaves without that label. */
const emptyPlace = / \(\w+[ :=]+['"]*\)/gu;

/** The end of a line or a sentence; templates in single quotes leave `\n` as it is written. */
const firstEnd = /\n|\\n(?=\s)|(?<=[.!?])\s/u;

/** What Prometheus puts in place of a text whose template fails; the last part says why. */
const templateError = /^<?error expanding template: (?:.*: )?([^:]*?)>?$/isu;
/** What Go's templates leave of what is not there, with the brackets around it. */
const noValue = /[([]?[<[]no\svalue[>\]][)\]]?/giu;
/** A link as chats write it. */
const chatLink = /<(https?:\/\/[^\s<>|]{1,2048})\|([^<>|]{1,200})>/giu;
/** Texts that say that there is no text, without what is around the word. */
const saysNothing: ReadonlySet<string> = new Set([
  '', 'unknown', 'none', 'null', 'undefined', 'na', 'empty',
]);
const nothingLengthMax = 40;

/** Annotations with what is wrong: of a query that fails, why, and not what its rule would say. */
function wordsBy(annotations: LabelSet): readonly string[] {
  return hasNoData(annotations) ? ['Error', ...wordedBy] : wordedBy;
}

/** The alert's summary, or else its description, as one line fit for a sentence. */
export function alertText({ annotations }: Pick<Alert, 'annotations'>): string | null {
  const words = wordsBy(annotations).map((name) =>
    shownText(writtenIn(annotations, name), wordsMax));
  return words.find((text) => text !== '') ?? null;
}

/** The annotations whose template fails, with the reason in the words of Prometheus. */
export function failedTemplatesOf({ annotations }: Alert): { name: string; why: string }[] {
  return Object.entries(annotations).flatMap(([name, text]) => {
    const why = templateError.exec(text)?.[1];
    if (why !== undefined) return [{ name, why }];
    return isUnfilled(text) ? [{ name, why: 'nothing filled it in' }] : [];
  });
}

const adviceMax = 300;
/**
 * A clause begins with what to do; `Read latency is high` and `a set limit` only say what is wrong.
 * No blank is looked at for two beginnings, nor an unlimited number of words for one.
 */
const instructs = new RegExp('(?:(?:^|[.!?;:,(\\n])[^\\S\\n]*|\\bplease )(?:first(?=[:,])|' +
  '(?:(?:please|then|and|or|first) ){0,4}' +
  '(?:check|look|see|run|read|try|set|raise|lower|increase|reduce|' +
  'restart|restore|verify|inspect|investigate|ensure|make sure|compare)(?![-\\w,.)])' +
  '(?! (?:this|the) (?:issue|problem|alert|incident|matter)\\b)' +
  '(?! (?:is|are|was|has|have|of|or|by|than|after|fails?|failed|errors?|latency|rates?|requests?|' +
  'operations?|queues?|times?|counts?|loops?|replicas?|throughput)\\b))', 'iu');

/**
 * What the rule's author says is to be done, or, where the description explains the value of one
 * of the alert's labels (`unauthorized: the token is wrong.`), that explanation. One line, cut
 * where it is long; null if the description says neither.
 */
export function authorAdviceOf({ annotations, labels }: Pick<Alert, 'annotations' | 'labels'>):
  string | null {
  const written = writtenIn(annotations, 'description') || writtenIn(annotations, 'message');
  const sentences = written.trim().split(/(?<=[.!?])\s+/u);
  const values = Object.keys(labels).map((name) => `${labelOf(labels, name) ?? ''}:`);
  const meant = sentences.find((sentence) => values.some((value) => sentence.startsWith(value)));
  if (meant !== undefined) return shownText(meant, adviceMax);
  return instructs.test(written) ? shownText(written, adviceMax) : null;
}

interface AuthorWords {
  /** One line in quotation marks. */
  readonly quoted: string;
  /** The annotation that holds nothing else; null if there is more in it. */
  readonly wholeOf: string | null;
}

/**
 * The first sentence of the rule's author, for the reader who sees the alert's name, place and
 * headline; null if these say as much.
 */
export function authorWordsOf({ alert, verdict }: Pick<Report, 'alert' | 'verdict'>):
  AuthorWords | null {
  const { annotations } = alert;
  for (const name of wordsBy(annotations)) {
    const [first = ''] = writtenIn(annotations, name).trim().split(firstEnd, 1);
    const text = shownText(first, wordsMax);
    if (!saysMoreThan(text, alert.name, alert.labels)) continue;
    const quoted = verdict.is_quoted === true ? alertText(alert) : null;
    if (quoted?.includes(shownClause(first, wordsMax)) === true) return null;
    const isWhole = text === labelOf(annotations, name)?.trim();
    return { quoted: `“${text}”`, wholeOf: isWhole ? name : null };
  }
  return null;
}

/** Empty as well where the template failed, or where the text says nothing. */
function writtenIn(annotations: LabelSet, name: string): string {
  const text = labelOf(annotations, name) ?? '';
  if (templateError.test(text) || isUnfilled(text)) return '';
  const told = text.replace(emptyPlace, '').replace(noValue, '').replace(chatLink, '$2 ($1)');
  if (told.length > nothingLengthMax) return told;
  const word = told.replaceAll(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
  return saysNothing.has(word) ? '' : told;
}

/** Whether a template came as it was written. */
function isUnfilled(text: string): boolean {
  const start = text.indexOf('{{');
  return start >= 0 && text.includes('}}', start);
}

/** Words that say nothing of their own beside a name and a place. */
const connecting: readonly string[] = [
  'a', 'an', 'the', 'is', 'are', 'has', 'have', 'in', 'on', 'of', 'at', 'for', 'by', 'alert',
];

const shownValueMax = 200;

/** Whether a text has a word that is neither in the alert's name nor in one of its labels. */
export function saysMoreThan(text: string, name: string, labels: LabelSet): boolean {
  const shown = shownWords(name, labels);
  return wordsOf(text).some((word) => !shown.has(word));
}

/** The words of the name and of every label, in lower case. */
function shownWords(name: string, labels: LabelSet): ReadonlySet<string> {
  const values = Object.keys(labels).flatMap((label) => [label, labelOf(labels, label) ?? '']);
  const separated = name.replace(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ');
  const texts = [name, separated, ...values].map((text) => text.slice(0, shownValueMax));
  return new Set([...connecting, ...texts.flatMap(wordsOf)]);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
