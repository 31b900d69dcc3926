import { noLabels } from '../../alert/labels.ts';
import { dayMs } from '../../lib/time-units.ts';
import type { EventVerb } from '../../report/kinds.ts';
import { shownText } from '../../report/shown-text.ts';
import type { Revision } from '../../sources/kubernetes/cluster-objects.ts';
import { restartByHand, type TemplatePart } from '../../sources/kubernetes/pod-template.ts';
import { workloadOfPod } from '../../statistics/names/workload-name.ts';
import type { EventFact, MetricFacts } from '../metric-facts.ts';
import { imagesApart } from '../shown-images.ts';
import { calledIn, type ClusterAnswers } from './cluster-answers.ts';
import type { KubernetesFacts } from './kubernetes-facts.ts';

export type Rollout = Omit<EventFact, 'evidence'>;

const rolloutsMax = 3;
const differencesShown = 3;
const shownMax = 200;
const textMax = 400;

/** Revisions rolled out since a day before the alert, with what changed; latest last. */
export function rolloutsOf(answers: ClusterAnswers, redact: (text: string) => string): Rollout[] {
  const { workload, window, named } = answers;
  if (workload === null) return [];
  const revisions = answers.revisions
    .flatMap((each) => [each, ...each.earlier.map((number) => ({ ...each, number }))])
    .sort((a, b) => orderOf(a) - orderOf(b));
  return revisions.flatMap((revision, index): Rollout[] => {
    const before = revisions[index - 1];
    const atMs = before === undefined ? null : beganAt(revision, before, answers);
    if (before === undefined || atMs === null) return [];
    if (atMs < window.startMs - dayMs || atMs > window.toMs) return [];
    const differences = differencesOf(before.parts, revision.parts, redact);
    const images = differences.filter(isImage);
    // With several changed images, none stands for the release.
    const image = images.length === 1 ? images[0] : undefined;
    const subject = calledIn(answers).workload ?? workload.name;
    const { verb, did } = predicateOf(revision, differences);
    return [{
      kind: images.length > 0 ? 'version' : isRestart(differences) ? 'restart' : 'config',
      atMs, isOfAlert: true, subject, verb, text: shownText(`${subject} ${did}`, textMax),
      before: image?.before ?? null, after: image?.after ?? null,
      release: { on: null, of: null, isBack: isRollback(revision), takenBackMs: null },
      component: { label: workload.kind, value: workload.name },
      labels: {
        ...(named.namespace === null ? noLabels : { namespace: named.namespace }),
        [workload.kind]: workload.name,
      },
    }];
  }).slice(-rolloutsMax);
}

function orderOf({ number, createdMs }: Revision): number {
  return number ?? createdMs ?? 0;
}

/**
 * When a revision was rolled out: usually when it was created. One that is older than the revision
 * before it was rolled back to, and only an event tells when.
 */
function beganAt(
  { number, earlier, createdMs }: Revision,
  before: Revision,
  { events }: ClusterAnswers,
): number | null {
  const isFirst = earlier.every((each) => each >= (number ?? 0));
  if (createdMs !== null && isFirst && createdMs >= (before.createdMs ?? 0)) return createdMs;
  // Scale-ups prove nothing: people and autoscalers do them as well.
  const scaled = events.items.filter(({ reason, message }) =>
    reason === 'ScalingReplicaSet' &&
      message.startsWith(`Scaled down replica set ${before.name} `));
  return scaled.map(({ lastMs }) => lastMs).filter((ms) => ms !== null).sort((a, b) => a - b)[0] ??
    null;
}

interface Difference {
  readonly name: string;
  /** Null if it is not shown or did not exist. */
  readonly before: string | null;
  readonly after: string | null;
  readonly kind: 'changed' | 'added' | 'removed';
}

function differencesOf(
  before: readonly TemplatePart[],
  after: readonly TemplatePart[],
  redact: (text: string) => string,
): Difference[] {
  const olds = new Map(before.map((part) => [part.name, part]));
  const news = new Map(after.map((part) => [part.name, part]));
  const fit = (shown: string | null): string | null =>
    shown === null ? null : shownText(redact(shown), shownMax);
  const changed = after.flatMap(({ name, digest, shown }): Difference[] => {
    const old = olds.get(name);
    if (old === undefined) return [{ name, before: null, after: fit(shown), kind: 'added' }];
    return old.digest === digest ? []
      : [{ name, before: fit(old.shown), after: fit(shown), kind: 'changed' }];
  });
  const removed = before.flatMap(({ name, shown }): Difference[] =>
    news.has(name) ? [] : [{ name, before: fit(shown), after: null, kind: 'removed' }]);
  return [...changed, ...removed].sort((a, b) => Number(isImage(b)) - Number(isImage(a)));
}

function isImage({ name }: Pick<Difference, 'name'>): boolean {
  return name.startsWith('image of ');
}

/** `kubectl rollout restart`: nothing else has changed. */
function isRestart([first, ...others]: readonly Difference[]): boolean {
  return first?.name === restartByHand && others.length === 0;
}

/** Whether it had run before, under another number. */
function isRollback({ number, earlier }: Pick<Revision, 'number' | 'earlier'>): boolean {
  return number !== null && (earlier[0] ?? Infinity) < number;
}

/** The predicate of a sentence: "rolled out revision 2: image of app from 1.8 to 1.9". */
function predicateOf(
  { number, earlier }: Revision,
  differences: readonly Difference[],
): { readonly verb: EventVerb; readonly did: string } {
  if (isRestart(differences)) return { verb: 'restarted_by_hand', did: 'was restarted by hand' };
  const shown = differences.slice(0, differencesShown).map(differenceText);
  const more = differences.length - shown.length;
  const what = shown.length === 0 ? 'with an unchanged pod template'
    : `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const revision = number === null ? 'a revision' : `revision ${number}`;
  return isRollback({ number, earlier })
    ? { verb: 'rolled_back', did: `rolled back (${revision}): ${what}` }
    : { verb: 'rolled_out', did: `rolled out ${revision}: ${what}` };
}

function differenceText({ name, before, after, kind }: Difference): string {
  if (kind === 'added') return `${name} is new${after === null ? '' : ` (${after})`}`;
  if (kind === 'removed') return `${name} is gone`;
  if (before === null || after === null) return `${name} changed`;
  const [from, to] = isImage({ name }) ? imagesApart(before, after) : [before, after];
  return `${name} from ${from} to ${to}`;
}

/** Metrics show a rollout within this time, as a new version or generation. */
const togetherMs = 5 * 60_000;

/**
 * Adds the rollouts to the events from metrics, in place of metric events about the same rollout:
 * Kubernetes knows exactly when it was and what changed.
 */
export function withRollouts(
  metrics: MetricFacts | null,
  kubernetes: KubernetesFacts | null,
): MetricFacts | null {
  const rollouts = kubernetes?.rollouts ?? [];
  if (metrics === null || rollouts.length === 0) return metrics;
  const others = metrics.events.filter((event) =>
    !rollouts.some((rollout) => isSame(event, rollout)));
  return { ...metrics, events: [...others, ...rollouts].sort((a, b) => a.atMs - b.atMs) };
}

function isSame(event: EventFact, { component, atMs }: EventFact): boolean {
  if (event.kind !== 'version' && event.kind !== 'config') return false;
  if (Math.abs(event.atMs - atMs) > togetherMs) return false;
  const named = event.component?.value ?? '';
  return [named, workloadOfPod(named)].includes(component?.value ?? '');
}
