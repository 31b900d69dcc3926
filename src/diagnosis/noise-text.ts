import { formatDuration, formatQuantity } from '../lib/quantity.ts';
import { times } from '../report/plain-text.ts';
import type { NextStep, Statement } from '../report/report.ts';
import { citing } from './citing.ts';
import type { Noise } from './noise.ts';
import { isFarOver, ownOf } from './own-value.ts';
import type { Situation } from './situation.ts';

/** Why an alert says nothing new, as a clause: `flapping: 4 times in 10 min, every 3 min 20 s`. */
export function noiseText(noise: Noise, situation: Situation): string {
  const { measurement: { threshold, unit }, history: { recurrence } } = situation.evidence;
  const shown = (value: number): string => formatQuantity(value, unit);
  switch (noise.kind) {
    case 'always': {
      const { least, most, fromMs, toMs } = noise.past;
      const [low, high] = [shown(least), shown(most)];
      const values = low === high ? low : `between ${low} and ${high}`;
      const asked = isLow(situation) ? 'wants' : 'allows';
      return `${values} for at least ${formatDuration((toMs - fromMs) / 1000)}; ` +
        `the rule ${asked} ${shown(threshold ?? 0)}`;
    }
    case 'ordinary': {
      const { beyondShare, fromMs, toMs } = noise.past;
      const side = isLow(situation) ? 'below' : 'over';
      return `an ordinary value: ${side} ${shown(threshold ?? 0)} for ` +
        `${formatQuantity(Math.round(beyondShare * 100) / 100, 'ratio')} of the ` +
        `${formatDuration((toMs - fromMs) / 1000)} before`;
    }
    case 'flapping': {
      const { times: count, spanMs, periodMs } = noise.run;
      return `flapping: ${times(count)} in ${formatDuration(spanMs / 1000)}, every ` +
        formatDuration(periodMs / 1000);
    }
    case 'few': {
      const { counted = 'events', rangeSeconds = 0 } = situation.evidence.metrics?.whole ?? {};
      return `so few ${counted} that one decides: ${noise.bad} of ${noise.of} in ` +
        formatDuration(rangeSeconds);
    }
    case 'hovering': return 'hovering around its threshold';
    case 'short': {
      const { last24h, last7d } = recurrence;
      const often = last24h > 1 ? `${last24h} times in 24 h` : `${last7d} times in 7 days`;
      return `${often}, mostly for less than 5 min`;
    }
  }
}

/** What the noise rests on where the day before shows it; nothing otherwise. */
export function noiseFindings(noise: Noise | null, situation: Situation): Statement[] {
  if (noise === null || !('past' in noise)) return [];
  const { past } = noise;
  const { unit } = situation.evidence.measurement;
  const range = `${formatQuantity(past.least, unit)} to ${formatQuantity(past.most, unit)}`;
  return citing([past.evidence], noise.kind === 'always'
    ? `Its value is not new: ${noiseText(noise, situation)}.`
    : `The threshold lies inside the ordinary range of ${range}: the value was beyond it ` +
      `${times(past.stretches)} before.`);
}

/** What to change in the rule of an alert that says nothing new. */
export function noiseStep(noise: Noise | null, situation: Situation): NextStep[] {
  if (noise === null) return [];
  const { unit } = situation.evidence.measurement;
  const rule = {
    kind: 'noise', id: `noise ${noise.kind}`, command: null, undo: 'Restore the rule.',
    risk: 'low: what the rule no longer tells has to be seen otherwise',
  } as const;
  if (noise.kind === 'always') {
    return [{
      ...rule, action: 'Change the threshold of the rule, or drop it: it does not fit this system',
      why: `${noiseText(noise, situation)}.`, expected: 'The alert ends.',
    }];
  }
  if (noise.kind === 'ordinary') {
    const to = formatQuantity(noise.fits, unit);
    const extreme = formatQuantity(isLow(situation) ? noise.past.least : noise.past.most, unit);
    return [{
      ...rule, action: `${isLow(situation) ? 'Lower' : 'Raise'} the threshold of the rule to ${to}`,
      why: `Its value went as far as ${extreme} in the day before, without a problem.`,
      expected: 'The alert fires only for what is not ordinary.',
    }];
  }
  if (noise.kind === 'few') {
    const { counted = 'events' } = situation.evidence.metrics?.whole ?? {};
    return [{
      ...rule, action: `Let the rule ask for a least number of ${counted}, or look over a longer ` +
        'window',
      why: `There are ${noiseText(noise, situation)}.`,
      expected: 'One that fails alone fires no alert.',
    }];
  }
  return [{
    ...rule, action: 'Lengthen the `for` of the rule, or set its `keep_firing_for` to ' +
      `${formatDuration(waitSeconds(noise))}`,
    why: isFarOver(situation) || ownOf(situation) === null
      ? 'The alert comes and goes by itself, again and again.'
      : 'The alert comes and goes by itself, so its threshold may be within normal noise.',
    expected: 'One long episode, or none, instead of many short ones.',
    risk: 'low: with a longer `for`, a real problem is reported later',
  }];
}

/** Twice the period, in whole minutes; ten minutes where there is none. */
function waitSeconds(noise: Noise): number {
  return noise.kind === 'flapping' ? 60 * Math.max(1, Math.ceil(noise.run.periodMs / 30_000)) : 600;
}

function isLow({ evidence: { measurement: { operator } } }: Situation): boolean {
  return operator?.startsWith('<') === true;
}
