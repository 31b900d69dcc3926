import { alertNameOf } from '../alert/alert.ts';
import { severityOf } from '../alert/severity.ts';
import { ownWordsOf } from '../evidence/from-alert.ts';
import type { Classification } from '../report/report.ts';
import { secondsOf } from '../statistics/interval.ts';
import { isResolved, type Situation } from './situation.ts';

/** Alerts that fire on purpose, for as long as the alerting works. */
const heartbeats = new Set(['Watchdog', 'DeadMansSwitch']);
/** Grafana's alerts about its own data source (grafana/grafana: ngalert/state). */
const dataAlerts = new Set(['DatasourceNoData', 'DatasourceError']);

/** An alert that mostly goes away by itself: at least this share of at least so many episodes. */
const selfResolvedShareMin = 0.75;
const episodesPerWeekMin = 4;

/** What kind of matter the alert is; the first rule that fits decides. */
export function classify(situation: Situation): Classification {
  if (isResolved(situation)) return isHeartbeat(situation) ? 'actionable' : 'recovered';
  if (isInformational(situation)) return 'informational';
  if (isDataProblem(situation)) return 'data_problem';
  if (isNoisy(situation)) return 'noisy';
  return saysAnything(situation) ? 'actionable' : 'inconclusive';
}

/** Alerts that prove by firing that alerts arrive: their end is the problem. */
export function isHeartbeat({ caseFile }: Situation): boolean {
  return heartbeats.has(alertNameOf(caseFile.alert.labels));
}

function isInformational(situation: Situation): boolean {
  const { caseFile, knowledge } = situation;
  const { labels } = caseFile.alert;
  const severity = severityOf(labels);
  if (severity === 'info' || severity === 'none') return true;
  return isHeartbeat(situation) || knowledge?.family.nature === 'always_on';
}

/** The rule saw no data, which says nothing about the thing it watches. */
function isDataProblem({ caseFile, evidence }: Situation): boolean {
  const functions = evidence.rule?.functions ?? [];
  const isAbsent = functions[0] === 'absent' || functions[0] === 'absent_over_time';
  return dataAlerts.has(alertNameOf(caseFile.alert.labels)) || isAbsent;
}

/**
 * Flapping, or coming back and going away by itself. One that has already lasted longer than
 * nine in ten before it is taken seriously again.
 */
export function isNoisy({ evidence, now }: Situation): boolean {
  const { recurrence, flapping, current, usualMostSeconds } = evidence.history;
  if (usualMostSeconds !== null && secondsOf(current, now) > usualMostSeconds) return false;
  const isShortLived = recurrence.last7d >= episodesPerWeekMin &&
    (recurrence.selfResolvedShare ?? 0) >= selfResolvedShareMin;
  return flapping.isFlapping || isShortLived;
}

function saysAnything({ caseFile, evidence, knowledge }: Situation): boolean {
  const { alert } = caseFile;
  if (severityOf(alert.labels) !== 'unknown' || knowledge !== null) return true;
  return ownWordsOf(alert) !== null || evidence.measurement.value !== null;
}
