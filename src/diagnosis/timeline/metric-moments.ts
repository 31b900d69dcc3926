import type { MetricFacts } from '../../evidence/metric-facts.ts';
import { capital } from '../../report/plain-text.ts';
import type { Change } from '../../report/report.ts';
import { loneBeganMs, loneName, loneNear } from '../causes/lone-thing.ts';
import { heldTime } from '../held-time.ts';
import type { Judged } from '../judged.ts';
import { isStateRule, ruleWords } from '../own-value.ts';
import { scrapedMoments } from '../scraped-targets.ts';
import type { Situation } from '../situation.ts';
import { isHeartbeat } from '../verdict/classification.ts';
import type { Moment } from './moment.ts';

const changesMax = 12;
const backMax = 6;

/** Moments known from the metric source: the problem, its value, what moved, what was done. */
export function metricMoments(situation: Judged): Moment[] {
  const { metrics } = situation.evidence;
  if (metrics === null) return [];
  return [
    ...heldMoments(situation),
    ...problemMoments(situation, metrics),
    ...changeMoments(situation, metrics),
    ...loneMoments(situation),
    ...scrapedMoments(situation),
    ...backMoments(situation),
  ];
}

function problemMoments(
  situation: Situation,
  { window, rule, own, fired, source }: MetricFacts,
): Moment[] {
  const moments: Moment[] = [];
  const note = (at: number | null, text: string, evidence: string): void => {
    if (at !== null) moments.push({ at, kind: 'note', text, evidence });
  };
  const waits = (rule?.forSeconds ?? 0) > 0;
  const begun = waits ? 'The problem begins: the alert is pending.' : 'The problem begins.';
  // Without rule, own series or recorded firing, the beginning of the window is a guess.
  const isKnown = !isHeartbeat(situation) &&
    (rule !== null || own !== null || (fired?.intervals.length ?? 0) > 0);
  const shown = own?.evidence[0] ?? source.evidence;
  note(isKnown ? window.onMs : null, begun, rule?.evidence ?? shown);
  const over = isStateRule(situation) ? 'The value matches its rule from here on.'
    : situation.evidence.measurement.limit === null
      ? 'The value goes beyond its threshold and stays there.'
      : 'The value is beyond its threshold from here on.';
  note(own === null || own.wasOverBefore ? null : own.overSinceMs, over, shown);
  note(own?.recoveredMs ?? null, `The value ${ruleWords(situation).isBack}.`, shown);
  return moments;
}

/** When what is overdue was last done. */
function heldMoments(situation: Situation): Moment[] {
  const held = heldTime(situation);
  if (held === null || held.isRounded || held.atMs > situation.now) return [];
  const { atMs: at, metric, evidence: [evidence = ''] } = held;
  const text = `The time in ${metric}, from which the rule counts.`;
  return [{ at, kind: 'note', text, evidence }];
}

/** What was released or configured, and the best of the other changes that stand out. */
function changeMoments({ changes }: Judged, { window }: MetricFacts): Moment[] {
  const isDone = ({ kind }: Change): boolean => kind === 'version' || kind === 'config';
  return [...changes.filter(isDone), ...changes.filter((each) => !isDone(each))]
    .flatMap(({ rank, strength, title: text, onset_seconds: onset, evidence }): Moment[] => {
      const at = window.onMs + (onset ?? 0) * 1000;
      const [cited = ''] = evidence;
      return strength === 'weak' || onset === null ? []
        : [{ at, kind: 'change', change: rank, text, evidence: cited }];
    })
    .slice(0, changesMax);
}

/** When things began to move that did so alone. */
function loneMoments(judged: Judged): Moment[] {
  return loneNear(judged).map((fact) => ({
    at: loneBeganMs(fact), kind: 'change',
    text: `${capital(loneName(fact))} begins to differ from all others of its kind.`,
    evidence: fact.evidence,
  }));
}

/** When changes that stood out were seen to come back. */
function backMoments({ outcomes }: Judged): Moment[] {
  return outcomes.flatMap(({ name, atEnd, evidence }): Moment[] => {
    const { state, backMs, isFromStart } = atEnd;
    if (state !== 'back' || backMs === null || isFromStart) return [];
    const text = `${name} is back within its usual range.`;
    return [{ at: backMs, kind: 'change', text, evidence: evidence.at(-1) ?? '' }];
  }).slice(0, backMax);
}
