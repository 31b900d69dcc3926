import type { InsideFacts, InsideFinding } from '../../evidence/inside-fact.ts';
import { formatQuantity } from '../../lib/quantity.ts';
import { enumerated } from '../../report/plain-text.ts';
import type { Leaders } from '../../statistics/contributions.ts';
import { plural } from '../changes/metric-phrase.ts';

/** With more values than this, their names would be in the way. */
const namedMax = 4;

/** A sentence on the series inside the alert's own. */
export function insideText({ finding, isWhole }: InsideFacts, unit: string | null): string {
  const subject = isWhole ? 'It' : 'Its numerator';
  const part = isWhole ? '' : ' of its numerator';
  switch (finding.kind) {
    case 'only': return `${subject} consists of one series: ${finding.label} ${finding.value}.`;
    case 'counted': {
      const { label, values } = finding;
      return `${subject} counted ${values.length} when it fired: ${label} ${enumerated(values)}.`;
    }
    case 'extreme': return extremeText(finding, unit);
    case 'spread': {
      const { values, label, direction } = finding;
      const names = values.length > namedMax ? '' : `: ${enumerated(values)}`;
      return `The ${direction}${part} is spread roughly evenly over ` +
        `${values.length} ${plural(label)}${names}.`;
    }
    case 'leaders': {
      const { leaders, direction, measured, outcome } = finding;
      const whole = measured === 'all' ? 'rise of what it is a share of' : `${direction}${part}`;
      const ended = outcome == null ? ''
        : ` ${shareText(outcome.share)} of what came on top has ${outcome.label} ${outcome.value}.`;
      return `${leadersText(leaders, whole)}${ended}`;
    }
  }
}

/** `60 % of the rise comes from pod a (1 of 12); 80 % from node n1 (1 of 3).` */
function leadersText(all: readonly Leaders[], whole: string): string {
  const clauses = all.map((leaders, index) => {
    const share = shareText(leaders.share);
    return index === 0 ? `${share} of the ${whole} comes from ${fromText(leaders)}`
      : `${share.toLowerCase()} from ${fromText(leaders)}`;
  });
  return `${clauses.join('; ')}.`;
}

function extremeText(
  { label, value, of, isHighest, measured, next }: Extract<InsideFinding, { kind: 'extreme' }>,
  unit: string | null,
): string {
  return `The ${isHighest ? 'highest' : 'lowest'} of ${of} series when it fired was ${label} ` +
    `${value} with ${formatQuantity(measured, unit)}; the next had ${formatQuantity(next, unit)}.`;
}

/** Rounded down, as 99.9 % is not all of it. */
function shareText(share: number): string {
  return share === 1 ? 'All' : `${Math.floor(share * 100)} %`;
}

/** `pod a (1 of 12)`. */
function fromText({ label, values, of }: Leaders): string {
  return `${label} ${enumerated(values)} (${values.length} of ${of})`;
}
