import { alertNameOf, hasNoData, isDataAlert, type Alert } from '../../alert/alert.ts';
import { severityOf } from '../../alert/severity.ts';
import { alwaysOn, infoInhibitor } from '../../knowledge/families/always-on.ts';
import type { Family } from '../../knowledge/family.ts';
import { alertText } from '../../report/author-words.ts';
import type { Classification } from '../../report/report.ts';
import { isCalledNoise } from '../causes/given-causes.ts';
import { endings, isBackByRestart, type Ending } from '../ending.ts';
import type { Judged } from '../judged.ts';
import { outlastsUsual, type Noise } from '../noise.ts';
import { isBackWithin, isRestless, isSeriesGone, isWithinNow } from '../own-value.ts';
import type { Situation } from '../situation.ts';
import { missingLimit } from '../zero-divisor.ts';

/** A test of how alerts arrive, whose end is no problem. */
const passing = new Set(['prometheusnotificationtest']);

/** Classifies the alert; the first rule that fits decides. */
export function classify(situation: Judged): Classification {
  if (situation.ending !== null) return classifyEnded(situation, situation.ending);
  if (isInformational(situation)) return 'informational';
  if (isDataProblem(situation) || isSeriesGone(situation)) return 'data_problem';
  const { noise } = situation;
  const isNoise = noise !== null && !isSevere(situation, noise);
  const isBack = isBackWithin(situation) && !isBackByRestart(situation);
  if (isBack && !isRestless(situation) && !isNoise) return 'recovered';
  if (isNoise) return 'noisy';
  if (isCalledNoise(situation) && !outlastsUsual(situation)) return 'noisy';
  return isInformed(situation) ? 'actionable' : 'inconclusive';
}

function classifyEnded(situation: Judged, ending: Ending): Classification {
  const { caseFile, evidence, noise } = situation;
  if (isHeartbeat(situation)) return 'actionable';
  // What was nothing new while it fired is no recovery either.
  const isOver = endings[ending].as === 'recovered' || ending === 'still_over';
  if (isOver && noise !== null && noise.kind !== 'short' && !isSevere(situation, noise)) {
    return 'noisy';
  }
  if (caseFile.episode.isEndUnknown && !isWithinNow(situation)) return 'inconclusive';
  const { up, total } = evidence.metrics?.scrape ?? { up: 0, total: 0 };
  // A series that ends while all of its targets answer need not be a problem of its data.
  return ending === 'series_gone' && total > 0 && up === total ? 'inconclusive'
    : endings[ending].as;
}

/** Alerts that fire all the time to prove that alerts arrive: their end is the problem. */
export function isHeartbeat({ caseFile, knowledge }: Situation): boolean {
  return knowledge?.family === alwaysOn &&
    !passing.has(alertNameOf(caseFile.alert.labels).toLowerCase());
}

function isSentOnPurpose(family: Family | undefined): boolean {
  return family === alwaysOn || family === infoInhibitor;
}

/** What "Test" beside a contact point sends (grafana/grafana: ngalert, receivers/testing). */
function isGrafanaTest({ labels, silenceURL }: Alert): boolean {
  const name = alertNameOf(labels);
  return silenceURL !== undefined && (name === 'TestAlert' || name === 'Test notification');
}

function isInformational({ caseFile, knowledge }: Situation): boolean {
  const severity = severityOf(caseFile.alert.labels);
  return severity === 'info' || severity === 'none' || isSentOnPurpose(knowledge?.family) ||
    isGrafanaTest(caseFile.alert);
}

/** The rule saw no data, or no limit, which says nothing about the thing that it watches. */
function isDataProblem(situation: Situation): boolean {
  const { caseFile, evidence } = situation;
  const functions = evidence.rule?.functions ?? [];
  const isAbsent = functions[0] === 'absent' || functions[0] === 'absent_over_time';
  return isDataAlert(caseFile.alert.labels) || isAbsent ||
    hasNoData(caseFile.alert.annotations) || missingLimit(situation) !== null;
}

/** A critical alert that keeps coming back is noise only if its value is an ordinary one. */
function isSevere({ caseFile: { alert } }: Situation, { kind }: Noise): boolean {
  return severityOf(alert.labels) === 'critical' && (kind === 'flapping' || kind === 'short');
}

function isInformed({ caseFile, evidence, knowledge }: Situation): boolean {
  const { alert } = caseFile;
  if (severityOf(alert.labels) !== 'unknown' || knowledge !== null) return true;
  return alertText(alert) !== null || evidence.measurement.value !== null;
}
