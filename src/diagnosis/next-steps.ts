import { alertNameOf } from '../alert/alert.ts';
import { labelOf } from '../alert/labels.ts';
import type { Evidence } from '../evidence/collect-evidence.ts';
import { isFitForShell, shellWord } from '../lib/shell-word.ts';
import { alertLinks, runbookOf } from '../report/alert-links.ts';
import type { Hypothesis, NextStep } from '../report/report.ts';
import { shownClause, shownText } from '../report/shown-text.ts';
import { testedCauses } from './causes/tested-causes.ts';
import { isResolved, wholeOrNull, type Situation } from './situation.ts';
import { isHeartbeat, isNoisy } from './verdict/classification.ts';

const stepsMax = 5;
const readOnly = 'none: read-only';

/** At most five steps, the safest first; the runbook before everything else. */
export function nextStepsOf(situation: Situation, hypotheses: readonly Hypothesis[]): NextStep[] {
  const known = knownSteps(situation);
  const safe = known.filter(isReading);
  // What is ahead by measurement is worth a look before what such alerts usually need.
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
    why: 'This alert fires all the time on purpose; without it other alerts may not arrive.',
    command: null, expected: 'The alert fires again.', risk: readOnly, undo: null,
  }];
}

function knownSteps({ knowledge }: Situation): NextStep[] {
  return (knowledge?.steps ?? []).map((step) => ({
    action: shownText(step.action, 300),
    why: shownText(step.why, 300),
    command: step.command === null ? null : wholeOrNull(step.command.text),
    expected: shownText(step.expected, 300),
    risk: shownText(step.risk, 200),
    undo: step.undo === null ? null : shownText(step.undo, 200),
  }));
}

function testStep(situation: Situation, [top]: readonly Hypothesis[]): NextStep[] {
  if (top === undefined || top.test === null || top.certainty === 'confirmed') return [];
  const common = { command: top.test, risk: readOnly, undo: null };
  // A series that moved with the problem is no test of the cause; it shows whether it still does.
  if (top.mechanism === null) {
    return [{
      ...common,
      action: 'Graph the likeliest cause beside the alert: does it still hold?',
      why: 'What moved back while the alert goes on is not its cause.',
      expected: null,
    }];
  }
  const tested = testedCauses(situation).find(({ cause }) => cause.test?.text === top.test);
  const isSupported = tested?.outcome === 'supported';
  return [{
    ...common,
    action: `${isSupported ? 'Look again at' : 'Test'} the likeliest cause: ` +
      shownText(top.cause, 200),
    why: isSupported ? 'Its test spoke for it when this report was made.'
      : 'It decides whether the cause holds.',
    expected: tested === undefined ? null
      : shownText(`If it holds: ${tested.cause.confirms} If not: ${tested.cause.refutes}`, 300),
  }];
}

/** The compared side alone has no gaps where the rule does not fire. */
function expressionStep({ evidence }: Situation): NextStep[] {
  const { rule } = evidence;
  if (rule === null || rule.compared === null) return [];
  return [{
    action: 'Graph what the rule compares over the last hours',
    why: 'It shows whether the value jumped or crept up, and whether it is still beyond it.',
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
    why: 'What they have in common points to the cause.',
    command: isFit ? wholeOrNull(command) : null, expected: null, risk: readOnly, undo: null,
  }];
}

function noiseStep(situation: Situation): NextStep[] {
  if (!isNoisy(situation)) return [];
  return [{
    action: 'Make the rule wait: a longer `for`, or `keep_firing_for` of 10 minutes',
    why: 'The alert comes and goes by itself; its threshold lies inside the normal noise.',
    command: null, expected: 'One long episode, or none, in place of many short ones.',
    risk: 'low: a real problem is reported later by as much', undo: 'Restore the rule.',
  }];
}

function sourceStep({ evidence }: Situation): NextStep[] {
  const { prometheus } = evidence.sources;
  if (prometheus === 'failed') return [reachStep(evidence)];
  if (prometheus !== 'not_configured') return [];
  return [{
    action: 'Set PROMETHEUS_URL, so that the next report shows what moved before the alert',
    why: 'Without a metric source nothing beyond the alert itself is known.',
    command: null, expected: null, risk: 'none: the source is only read', undo: null,
  }];
}

/** What to do about what went wrong, as far as that is known. */
function reachStep({ metrics }: Evidence): NextStep {
  const [failure] = metrics?.source.failures ?? [];
  return {
    action: failure === undefined ? 'Check that Prometheus can be reached at PROMETHEUS_URL'
      : shownClause(failure.hint, 200),
    why: failure === undefined ? 'It is configured and gave no usable answer.'
      : `${shownClause(failure.why, 200)}.`,
    command: null, expected: null, risk: readOnly, undo: null,
  };
}

function isReading(step: NextStep): boolean {
  return step.risk !== null && step.risk.startsWith('none');
}

/** Knowledge and tests may ask for the same query; once is enough. */
function distinct(steps: readonly NextStep[]): NextStep[] {
  const seen = new Set<string>();
  return steps.filter(({ action, command }) => {
    const key = command ?? action;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
