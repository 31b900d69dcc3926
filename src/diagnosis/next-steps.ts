import { alertNameOf } from '../alert/alert.ts';
import { labelOf } from '../alert/labels.ts';
import type { Evidence } from '../evidence/collect-evidence.ts';
import { isFitForShell, shellWord } from '../lib/shell-word.ts';
import { alertLinks, runbookOf } from '../report/alert-links.ts';
import type { Hypothesis, NextStep } from '../report/report.ts';
import { shownClause, shownText } from '../report/shown-text.ts';
import { testedCauses } from './causes/tested-causes.ts';
import { isFarOver } from './own-value.ts';
import { isResolved, wholeOrNull, type Situation } from './situation.ts';
import { isHeartbeat, isNoisy } from './verdict/classification.ts';

const stepsMax = 5;
const readOnly = 'none: read-only';

/** At most five steps, the runbook first, and reading before changing anything. */
export function nextStepsOf(situation: Situation, hypotheses: readonly Hypothesis[]): NextStep[] {
  const known = knownSteps(situation);
  const safe = known.filter(isReading);
  // A leading cause that was measured is tested before the usual steps.
  const isMeasured = situation.evidence.metrics !== null &&
    hypotheses[0] !== undefined && hypotheses[0].certainty !== 'inconclusive';
  const steps = isResolved(situation)
    ? [
        ...heartbeatStep(situation),
        ...runbookStep(situation),
        ...noiseStep(situation),
        ...safe,
      ]
    : [
        ...runbookStep(situation),
        ...noiseStep(situation),
        ...(isMeasured ? testStep(situation, hypotheses) : []),
        ...safe.slice(0, 2),
        ...(isMeasured ? [] : testStep(situation, hypotheses)),
        ...safe.slice(2),
        ...expressionStep(situation),
        ...groupStep(situation),
        ...known.filter((step) => !isReading(step)),
        ...sourceStep(situation),
      ];
  return distinct(steps).slice(0, stepsMax);
}

function runbookStep({ caseFile }: Situation): NextStep[] {
  const runbook = runbookOf(caseFile.alert.annotations);
  if (runbook === null) return [];
  return [{
    action: `Open the runbook: ${shownText(runbook, 300)}`,
    why: 'The alert names it.',
    command: null, expected: null, risk: readOnly, undo: null,
  }];
}

function heartbeatStep(situation: Situation): NextStep[] {
  if (!isHeartbeat(situation)) return [];
  return [{
    action: 'Check that Prometheus evaluates its rules and that its alerts reach Alertmanager',
    why: 'This alert fires all the time on purpose; when it stops, other alerts may not arrive.',
    command: null, expected: 'The alert fires again.', risk: readOnly, undo: null,
  }];
}

function knownSteps({ knowledge }: Situation): NextStep[] {
  return (knowledge?.steps ?? []).map(({ action, why, command, expected, risk, undo }) => ({
    action, why, expected,
    command: command === null ? null : wholeOrNull(command),
    risk: risk ?? readOnly,
    undo: undo ?? null,
  }));
}

function testStep(situation: Situation, [top]: readonly Hypothesis[]): NextStep[] {
  if (top === undefined || top.test === null || top.certainty === 'confirmed') return [];
  const common = { command: top.test, risk: readOnly, undo: null };
  const what = top.certainty === 'inconclusive' ? 'the first explanation' : 'the most likely cause';
  // A series that moved with the problem does not test a cause; it shows whether it still moves.
  if (top.mechanism === null) {
    return [{
      ...common,
      action: `Graph ${what} beside the alert: does it still hold?`,
      why: 'What has moved back while the alert still fires is not its cause.',
      expected: null,
    }];
  }
  // Several causes may have the same test, and what supports one of them rules out another.
  const tested = testedCauses(situation).find(({ cause }) =>
    cause.test?.text === top.test && shownText(cause.cause, 300) === top.cause);
  const isSupported = tested?.outcome === 'supported';
  return [{
    ...common,
    action: (isSupported ? `Check ${what} again: ` : `Test ${what}: `) +
      shownText(top.cause, 200),
    why: isSupported ? 'Its test supported it when this report was made.'
      : 'The answer shows whether this is the cause.',
    expected: tested === undefined ? null
      : shownText(`If it holds: ${tested.cause.confirms} If not: ${tested.cause.refutes}`, 300),
  }];
}

/** Without its comparison, the expression also has values while the rule does not fire. */
function expressionStep({ evidence }: Situation): NextStep[] {
  const { rule } = evidence;
  if (rule === null || rule.compared === null) return [];
  return [{
    action: 'Graph what the rule compares over the last hours',
    why: 'It shows whether the value jumped or crept, and whether the rule still holds.',
    command: wholeOrNull(rule.compared), expected: null, risk: readOnly, undo: null,
  }];
}

function groupStep({ caseFile }: Situation): NextStep[] {
  const { alert, group } = caseFile;
  if (group.truncated === 0 && caseFile.sameNameOpen === 0) return [];
  const list = alertLinks(alert, group).find(({ title }) => title === 'Alertmanager');
  if (list === undefined) return [];
  const name = alertNameOf(alert.labels);
  const isNamed = (labelOf(alert.labels, 'alertname') ?? '') !== '';
  const isFit = isNamed && isFitForShell(name + group.externalURL);
  const command = `amtool alert query --alertmanager.url=${shellWord(group.externalURL)} ` +
    shellWord(`alertname=${JSON.stringify(name)}`);
  return [{
    action: 'List all alerts of this name',
    why: 'What they have in common hints at the cause.',
    command: isFit ? wholeOrNull(command) : null, expected: null, risk: readOnly, undo: null,
  }];
}

function noiseStep(situation: Situation): NextStep[] {
  if (!isNoisy(situation)) return [];
  return [{
    action: 'Make the rule wait: a longer `for`, or `keep_firing_for` of 10 minutes',
    why: isFarOver(situation) ? 'The alert comes and goes by itself, again and again.'
      : 'The alert comes and goes by itself, so its threshold may be within normal noise.',
    command: null, expected: 'One long episode, or none, instead of many short ones.',
    risk: 'low: with a longer `for`, a real problem is reported later', undo: 'Restore the rule.',
  }];
}

function sourceStep({ evidence }: Situation): NextStep[] {
  const { prometheus } = evidence.sources;
  if (prometheus === 'failed') return [reachStep(evidence)];
  if (prometheus !== 'not_configured') return [];
  return [{
    action: 'Set PROMETHEUS_URL, so that the next report shows what moved before the alert',
    why: 'Without a metric source, what moved before the alert is unknown.',
    command: null, expected: null, risk: 'none: the source is only read', undo: null,
  }];
}

/** What to do about a source that failed, as far as the reason is known. */
function reachStep({ metrics }: Evidence): NextStep {
  const [failure] = metrics?.source.failures ?? [];
  return {
    action: failure === undefined ? 'Check that Prometheus can be reached at PROMETHEUS_URL'
      : shownClause(failure.hint, 200),
    why: failure === undefined ? 'It is configured but gave no usable answer.'
      : `${shownClause(failure.why, 200)}.`,
    command: null, expected: null, risk: readOnly, undo: null,
  };
}

function isReading(step: NextStep): boolean {
  return step.risk !== null && step.risk.startsWith('none');
}

/** Drops steps whose command, or without one whose action, an earlier step has. */
function distinct(steps: readonly NextStep[]): NextStep[] {
  const seen = new Set<string>();
  return steps.filter(({ action, command }) => {
    const key = command ?? action;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
