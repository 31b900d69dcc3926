import { labelOf, noLabels, type LabelSet } from '../../alert/labels.ts';
import type { TestAnswer } from '../../evidence/metric-facts.ts';
import { expressionUnitOf } from '../../evidence/rule/rule-expression.ts';
import { formatQuantity } from '../../lib/quantity.ts';
import { enumerated } from '../../report/plain-text.ts';
import type { Statement } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { citing } from '../citing.ts';
import type { Situation } from '../situation.ts';

const shownMax = 3;

/**
 * The answers to what a person would ask Prometheus next, which the service has asked itself:
 * `Asked “See whether it refuses commands”: 274/s for set.`
 */
export function askedFindings({ knowledge, evidence }: Situation): Statement[] {
  return (knowledge?.steps ?? []).flatMap(({ action, asked }) => {
    const answer = answered(evidence.metrics?.answers, asked);
    if (answer === null) return [];
    const text = answerText(answer, evidence.metrics?.place?.labels);
    return citing([answer.evidence], `Asked “${action.replace(/\.$/u, '')}”: ${text}.`);
  });
}

/** The answer to a step's query; null where it is none, and where nobody answered. */
export function answered(
  answers: ReadonlyMap<string, TestAnswer> | undefined,
  asked: string | null,
): TestAnswer | null {
  const answer = asked === null ? undefined : answers?.get(asked);
  return answer === undefined || answer.failed !== null ? null : answer;
}

function answerText({ query, samples, labels }: TestAnswer, place: LabelSet = noLabels): string {
  const unit = expressionUnitOf(query);
  const shown = samples
    .map((value, index) => ({ value, labels: labels[index] ?? noLabels }))
    .toSorted((a, b) => b.value - a.value)
    .slice(0, shownMax)
    .map(({ value, labels: own }) => {
      const who = Object.entries(own)
        .filter(([name, text]) => name !== '__name__' && labelOf(place, name) !== text)
        .map(([, text]) => shownText(text, 60)).join(' ');
      return `${formatQuantity(value, unit)}${who === '' ? '' : ` for ${who}`}`;
    });
  if (shown.length === 0) return 'nothing';
  const left = samples.length - shown.length;
  return enumerated([...shown, ...(left > 0 ? [`${left} more`] : [])]);
}
