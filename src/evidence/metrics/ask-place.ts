import { labelOf, noLabels, type LabelSet } from '../../alert/labels.ts';
import { selectedLabels } from '../../lib/promql/result-labels.ts';
import type { InstantAnswer } from '../../sources/prometheus-answers.ts';
import type { Matcher } from '../../sources/promql-text.ts';
import { placeOfAlert, type AlertPlace, type SeenSeries } from '../place.ts';
import { ruleSelectors } from '../rule/rule-selectors.ts';
import { onlyOfAlert } from './alike.ts';
import type { FirstAnswers } from './ask-first.ts';
import { looseMatchers, namesOf } from './matching-labels.ts';
import type { Question } from './question.ts';

/** Selectors of the rule that are asked about. */
const selectorsMax = 4;
const homeLabels = ['namespace', 'job'] as const;
/** Series that are read for the addresses that they name. */
const sampledMax = 3;
/** What listens there, which is not always what is scraped: `server="10.0.0.7:5433"`. */
const address = /^[\w.-]+:\d{1,5}$/u;
/** Grouping by others takes a newer server. */
const plainName = /^[a-zA-Z_]\w*$/u;

/** Asks what the series that the rule reads have in common with each other and the alert. */
export async function askPlace(
  question: Question,
  { reading, unrun, found, serverNames }: FirstAnswers,
): Promise<AlertPlace> {
  const { labels, linked, alternatives } = question;
  const expression = (reading ?? linked)?.expression ?? null;
  const signs = { expression, ruleLabels: found?.rule.labels ?? null, serverNames };
  // What the author wrote need not be what the series have under that name.
  const loose = looseMatchers(labels, alternatives).filter(({ name }) =>
    plainName.test(name) && labelOf(signs.ruleLabels ?? noLabels, name)?.includes('{{') !== false);
  const seen = expression === null || unrun !== null ? null
    : await askSeries(question, expression, loose);
  return placeOfAlert(labels, { ...signs, seen });
}

/** The series when the alert fired, as the rule read them. Null without any. */
async function askSeries(
  { asker, labels, alternatives, startsAtMs, now }: Question,
  expression: string,
  loose: readonly Matcher[],
): Promise<SeenSeries | null> {
  const names = loose.map(({ name }) => name);
  const asked = [...new Set([...names, ...homeLabels])].join(', ');
  const texts = ruleSelectors(expression, loose).slice(0, selectorsMax);
  if (texts.length === 0) return null;
  const atMs = Math.min(startsAtMs, now);
  const all = texts.join(' or ');
  const ask = async (query: string): Promise<InstantAnswer | null> =>
    onlyOfAlert(await asker.query('place', query, atMs), labels, alternatives);
  const apart = [...alternatives.keys()].filter((name) => names.includes(name));
  const each = apart.length === 0 ? '' : ` by (${apart.join(', ')})`;
  const [rows, ups, some] = await Promise.all([
    ask(texts.map((text) => `count by (${asked}) (${text})`).join(' or ')),
    ask(`up and on (job, instance) (${all})`),
    ask(`bottomk${each}(${sampledMax}, ${all})`),
  ]);
  if (rows === null || rows.samples.length === 0) return null;
  const shared = names.filter((name) => rows.samples.some((row) =>
    labelOf(row.labels, name) === labelOf(labels, name)));
  const home = sharedBy(rows);
  // Twins in another world may have the same job and address.
  const own = { ...Object.fromEntries(selectedLabels(expression)), ...picked(labels, shared) };
  const targets = ups && { ...ups, samples: ups.samples.filter((up) => Object.keys(own)
    .every((name) => (labelOf(up.labels, name) ?? own[name]) === own[name])) };
  const target = targets?.samples.length === 0
    ? picked(home, homeLabels.filter((name) => labelOf(home, name) !== null)) : sharedBy(targets);
  const common = sharedBy(some);
  const addressed = Object.keys(common).filter((name) => address.test(common[name] ?? '') &&
    labelOf({ ...target, ...labels }, name) === null && plainName.test(name));
  const served = addressed.length === 0 ? null
    : await ask(`count by (${[...apart, ...addressed].join(', ')}) (${all})`);
  const addresses = sharedBy(served);
  return {
    shared: new Set(shared), target,
    addresses: picked(addresses, addressed.filter((name) => Object.hasOwn(addresses, name))),
  };
}

function picked(labels: LabelSet, names: readonly string[]): LabelSet {
  return Object.fromEntries(names.map((name) => [name, labels[name] ?? '']));
}

/** The labels that all samples of an answer have; none if it is not known in full. */
function sharedBy(answer: InstantAnswer | null): LabelSet {
  if (answer === null || answer.omitted > 0) return noLabels;
  const [first = noLabels, ...others] = answer.samples.map(({ labels }) => labels);
  return Object.fromEntries(namesOf(first)
    .filter((name) => others.every((each) => labelOf(each, name) === labelOf(first, name)))
    .map((name) => [name, first[name] ?? '']));
}
