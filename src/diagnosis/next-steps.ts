import { labelOf } from '../alert/labels.ts';
import type { FilledCause } from '../knowledge/knowledge-for.ts';
import { isFitForShell, shellWord } from '../lib/shell-word.ts';
import { alertLinks, runbookOf } from '../report/alert-links.ts';
import { shownClusterOf } from '../report/alert-place.ts';
import { authorAdviceOf } from '../report/author-words.ts';
import type { StepKind } from '../report/kinds.ts';
import type { NextStep } from '../report/report.ts';
import { shownClause, shownText } from '../report/shown-text.ts';
import { causeSteps, lookingSteps } from './cause-steps.ts';
import type { Explained } from './causes/explanation.ts';
import { boundsText } from './causes/tested-causes.ts';
import { goesOn } from './ending.ts';
import { answered } from './findings/asked-findings.ts';
import type { Judged } from './judged.ts';
import { noiseStep } from './noise-text.ts';
import { isFarOver } from './own-value.ts';
import { isResolved, wholeOrNull, type Situation } from './situation.ts';
import { isHeartbeat } from './verdict/classification.ts';
import { missingLimit } from './zero-divisor.ts';

const stepsMax = 5;
const readsOnly = { reads_only: true, risk: 'none: read-only' } as const;

/**
 * At most five steps: where the likely cause is, what can be run, the runbook and the author's
 * advice, then reading before changing. None is a query that was asked for this report.
 */
export function nextStepsOf(situation: Judged, hypotheses: readonly Explained[]): NextStep[] {
  const noise = noiseStep(situation.noise, situation);
  const isOld = situation.noise !== null && 'past' in situation.noise;
  // What is far beyond its threshold is looked into before its rule is changed.
  const isOver = isResolved(situation) && !goesOn(situation);
  const isUrgent = isFarOver(situation) && !isResolved(situation) && !isOld;
  const first = [
    ...(isOld ? noise : []),
    ...runbookStep(situation), ...authorStep(situation), ...limitStep(situation),
    ...(isUrgent || isOld ? [] : noise),
  ];
  const steps = isOver
    ? [...heartbeatStep(situation), ...first, ...knownSteps(situation).filter(isReading)]
    : [
      ...(isOld ? [] : knownCauseSteps(situation, hypotheses)),
      ...(isOld ? [] : movedFirst(situation, hypotheses)),
      ...(isOld ? [] : firstToRun(situation)),
      ...first,
      ...searchSteps(situation, hypotheses),
    ];
  const shown = distinct(steps).slice(0, isUrgent ? stepsMax - noise.length : stepsMax)
    .map((step) => inCluster(step, situation));
  return isUrgent ? [...shown, ...noise] : shown;
}

const clusterCommand = /(?:^|[|;&(] *)(?:kubectl|helm) /u;

/** Such a command runs in whichever cluster is current in the reader's terminal. */
function inCluster(step: NextStep, { caseFile }: Situation): NextStep {
  const cluster = shownClusterOf(caseFile.alert.labels);
  if (cluster === '' || !clusterCommand.test(step.command ?? '')) return step;
  const action = step.action.replace(/\.?$/u, (end) => ` (in cluster ${cluster})${end}`);
  return { ...step, action };
}

/**
 * What to do about the cause that is known. What its family has for such causes comes first where
 * that is a command, and the cause names no place but its own.
 */
function knownCauseSteps(situation: Judged, hypotheses: readonly Explained[]): NextStep[] {
  const [top] = hypotheses;
  const steps = causeSteps(situation, hypotheses);
  if (top?.tested === undefined && top?.kind !== 'growth') return steps;
  const isPlain = top.releasedBy !== undefined || top.tested?.cause.namesCallee === true ||
    top.tested?.cause.isElsewhere === true || top.contributor !== undefined ||
    top.caller !== undefined || top.lone !== undefined;
  const known = top.certainty === 'inconclusive' ? [] : firstToRun(situation);
  return isPlain ? [...steps, ...known] : [...known, ...steps];
}

/** Where no cause leads, what moved strongly says more than what is usual of such alerts. */
function movedFirst(situation: Judged, hypotheses: readonly Explained[]): NextStep[] {
  const [top] = hypotheses;
  const isOpen = top === undefined || top.certainty === 'inconclusive';
  const isStrong = situation.changes.some(({ strength }) => strength === 'strong');
  const isPlain = situation.noise === null;
  return isOpen && isStrong && isPlain ? lookingSteps(situation, hypotheses).slice(0, 1) : [];
}

/** A command says more than the name of a runbook. */
function firstToRun(situation: Situation): NextStep[] {
  return knownSteps(situation).filter((step) => isReading(step) && step.command !== null)
    .slice(0, 1);
}

/** How to find the cause while the alert fires. */
function searchSteps(situation: Judged, hypotheses: readonly Explained[]): NextStep[] {
  const known = knownSteps(situation);
  const safe = known.filter(isReading);
  const looking = lookingSteps(situation, hypotheses);
  // What moved is worth more than the test of a cause for which nothing speaks.
  const isMoved = situation.changes.some(({ strength }) => strength !== 'weak');
  return [
    // What this report could not look at comes before what it has just queried itself.
    ...safe.slice(0, 2), ...(isMoved ? looking : []), ...testStep(hypotheses), ...safe.slice(2),
    ...sourceStep(situation), ...(isMoved ? [] : looking), ...groupStep(situation),
    ...expressionStep(situation),
    ...known.filter((step) => !isReading(step)),
  ];
}

/** A step that only reads. */
function reading(
  kind: StepKind,
  action: string,
  why: string,
  { command = null, expected = null }: Partial<Pick<NextStep, 'command' | 'expected'>> = {},
): NextStep {
  return { ...readsOnly, kind, id: kind, action, why, command, expected, undo: null };
}

function runbookStep({ caseFile }: Situation): NextStep[] {
  const runbook = runbookOf(caseFile.alert.annotations);
  if (runbook === null) return [];
  return [reading(
    'runbook', `Open the runbook: ${shownText(runbook, 300)}`, 'The alert names it.')];
}

/** What is known of an alert by its name is better founded than what its author wrote. */
function authorStep(situation: Situation): NextStep[] {
  const { caseFile: { alert }, knowledge } = situation;
  if (isResolved(situation)) return [];
  const advice = knowledge?.how === 'name' ? null : authorAdviceOf(alert);
  if (advice === null) return [];
  return [{
    kind: 'author', id: 'author',
    action: `Follow the alert's description: “${advice}”`,
    why: 'The author of the rule knows what it means.',
    command: null, expected: null, risk: 'not assessed', undo: null,
  }];
}

function heartbeatStep(situation: Situation): NextStep[] {
  if (!isHeartbeat(situation)) return [];
  return [reading(
    'heartbeat',
    'Check that Prometheus evaluates its rules and that its alerts reach Alertmanager',
    'This alert fires all the time on purpose; when it stops, other alerts may not arrive.',
    { expected: 'The alert fires again.' },
  )];
}

function knownSteps({ knowledge, evidence }: Situation): NextStep[] {
  const open = (knowledge?.steps ?? [])
    .filter(({ asked }) => answered(evidence.metrics?.answers, asked) === null);
  return open.map((step, index) => ({
    kind: 'known', id: `known-${index + 1}`, action: step.action, why: step.why,
    expected: step.expected ?? null,
    command: step.command === null ? null : wholeOrNull(step.command),
    ...(step.risk === undefined ? readsOnly : { risk: step.risk }),
    undo: step.undo ?? null,
  }));
}

function testStep([top]: readonly Explained[]): NextStep[] {
  if (top === undefined || top.test === null || top.certainty === 'confirmed') return [];
  const { test: command, tested } = top;
  const what = top.certainty === 'inconclusive' ? 'the first explanation' : 'the most likely cause';
  // What was answered for this report need not be asked again.
  if (tested === undefined || tested.outcome !== 'untested') return [];
  return [reading('test', `Test ${what}: ${top.cause}`,
    'The answer shows whether this is the cause.', { command, expected: answersOf(tested.cause) })];
}

function answersOf({ test, note, confirms, refutes }: FilledCause): string {
  return [
    ...(test === null || test.bounds === null ? [] : [boundsText(test.bounds, test.text)]),
    ...(note === undefined ? [] : [note]),
    ...(confirms === undefined ? [] : [`If it holds: ${confirms}`]),
    ...(refutes === undefined ? [] : [`If not: ${refutes}`]),
  ].join(' ');
}

/** Without its comparison, the expression also has values while the rule does not fire. */
function expressionStep({ evidence }: Situation): NextStep[] {
  const compared = evidence.rule?.comparison?.compared ?? null;
  if (compared === null) return [];
  return [reading(
    'expression',
    'Graph what the rule compares over the last hours',
    'It shows whether the value jumped or crept, and whether the rule still holds.',
    { command: wholeOrNull(compared) },
  )];
}

function groupStep({ caseFile }: Situation): NextStep[] {
  const { alert, group } = caseFile;
  if (group.truncated === 0 && caseFile.sameNameOpen === 0) return [];
  if (!alertLinks(alert, group).some(({ kind }) => kind === 'alertmanager')) return [];
  const name = labelOf(alert.labels, 'alertname') ?? '';
  const isFit = name !== '' && isFitForShell(name + group.externalURL);
  const command = `amtool alert query --alertmanager.url=${shellWord(group.externalURL)} ` +
    shellWord(`alertname=${JSON.stringify(name)}`);
  return [reading(
    'group',
    'List all alerts of this name',
    'What they have in common hints at the cause.',
    { command: isFit ? wholeOrNull(command) : null },
  )];
}

function limitStep(situation: Situation): NextStep[] {
  const limit = missingLimit(situation);
  if (limit === null) return [];
  return [{
    kind: 'limit', id: 'limit',
    action: `Make the rule require that ${shownClause(limit, 100)} is above 0`,
    why: 'With no limit set, the ratio is undefined, so the alert says nothing.',
    command: null, expected: 'The alert ends, and fires only where a limit is set.',
    risk: 'low: what has no limit is then not watched by this rule', undo: 'Restore the rule.',
  }];
}

/** What to do about a metric source that is missing or failed, as far as the reason is known. */
function sourceStep({ evidence: { sources, metrics } }: Situation): NextStep[] {
  if (sources.prometheus === 'not_configured') {
    return [{
      kind: 'source', id: 'source',
      action: 'Set PROMETHEUS_URL, so that the next report shows what moved before the alert',
      why: 'Without a metric source, what moved before the alert is unknown.',
      command: null, expected: null, risk: 'none: the source is only read', undo: null,
    }];
  }
  if (sources.prometheus !== 'failed') return [];
  const [failure] = metrics?.source.failures ?? [];
  return [failure === undefined
    ? reading('source', 'Check that Prometheus can be reached at PROMETHEUS_URL',
      'It is configured but gave no usable answer.')
    : reading('source', shownClause(failure.hint, 200), `${shownClause(failure.why, 200)}.`)];
}

function isReading({ reads_only: isReadOnly }: NextStep): boolean {
  return isReadOnly === true;
}

/** Drops steps whose command, or without one whose id, an earlier step has. */
function distinct(steps: readonly NextStep[]): NextStep[] {
  const seen = new Set<string>();
  return steps.filter(({ id, command }) => {
    const key = command ?? id ?? '';
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
