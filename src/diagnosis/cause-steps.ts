import { labelOf } from '../alert/labels.ts';
import type { LoneFact } from '../evidence/lone-fact.ts';
import { placeOf, subjectOf } from '../report/alert-place.ts';
import { isEstablished } from '../report/certainty.ts';
import type { HopFault, PathHop } from '../report/path.ts';
import { enumerated } from '../report/plain-text.ts';
import type { NextStep } from '../report/report.ts';
import { shownText } from '../report/shown-text.ts';
import { momentOf, utcText } from '../report/time-text.ts';
import { hostNameOf } from '../statistics/lone-names.ts';
import { isReplicaLabel } from '../statistics/replica-collapse.ts';
import { saysMoreArrives } from './causes/callers.ts';
import type { Explained } from './causes/explanation.ts';
import { loneBeganMs, loneName } from './causes/lone-thing.ts';
import { ownDown } from './causes/path-causes.ts';
import { hostDownId } from './causes/shared-outage-cause.ts';
import { componentName, shownValue } from './changes/change-words.ts';
import { problemStart, type Release } from './changes/event-closeness.ts';
import { metricName, metricPhrase } from './changes/metric-phrase.ts';
import type { MovedSeries } from './changes/moved-series.ts';
import { goesOn } from './ending.ts';
import type { Judged } from './judged.ts';
import { isResolved, queryOfItem } from './situation.ts';

const readsOnly = { reads_only: true, risk: 'none: read-only' } as const;

/** What to do about the first cause, by what it is; nothing where only its family tells that. */
export function causeSteps(judged: Judged, [top]: readonly Explained[]): NextStep[] {
  if (top === undefined || top.certainty === 'inconclusive') return [];
  if (isResolved(judged) && !goesOn(judged)) return [];
  const { release, releasedBy, origin, suspect, contributor, tested } = top;
  if (top.family_cause === hostDownId && tested === undefined) {
    const host = shownText(top.about?.[0] ?? 'the host', 80);
    return [look(`See whether ${host} answers at all: ping it, and open its console and its ` +
      'network', 'One thing is gone, and not each target.')];
  }
  if (top.lookAt !== undefined) {
    return [look(top.lookAt.action, 'The most likely cause is there.', top.lookAt.command)];
  }
  if (top.clockOf !== undefined) {
    return [look(`See who set the clock of ${top.clockOf}, and bring it back into sync (chronyc ` +
      'tracking, timedatectl)', 'All that is measured by it is off by as much.')];
  }
  if (top.caller !== undefined) {
    return [look(`Look at ${shownText(top.caller, 80)}: why it calls more often, and let it ` +
      'send or try again less', 'What comes on top comes from there.')];
  }
  const same = judged.caseFile.openAlerts.find(({ fingerprint }) => fingerprint === top.alert);
  if (top.kind === 'same_problem' && same !== undefined) {
    return [look(`Work on ${subjectOf(same.labels)} first, whose report says what is wrong there`,
      'It is where the problem comes from.')];
  }
  const event = release ?? releasedBy;
  if (event !== undefined) return [releaseStep(event as Release, top)];
  if (origin !== undefined) {
    return [look(hopText(origin, judged), 'The path of the request ends there.')];
  }
  if (suspect?.best != null) return [movedStep(suspect.best, judged)];
  if (top.lone !== undefined) return [loneStep(top.lone, judged)];
  if (contributor !== undefined) return [look(contributorText(contributor),
    'Nearly all of what the rule measures comes from there.')];
  if (top.kind === 'growth' || top.kind === 'memory') {
    const place = placeOf(judged.caseFile.alert.labels);
    return [look(`Find out what ${place === '' ? 'it' : place} keeps or writes, and stop that ` +
      'before nothing is left', 'It goes on at this pace until something ends it.')];
  }
  if (tested !== undefined && contributor === undefined && saysMoreArrives(tested.cause.id)) {
    const place = placeOf(judged.caseFile.alert.labels);
    const whose = place === '' ? 'it' : place;
    return [look(`See who asks ${whose} for more, by caller and route, and how much capacity ` +
      'is left', 'More arrives than before; nothing else is known to be wrong.')];
  }
  const who = tested?.who.at(-1) ?? '';
  if (tested === undefined || who === '') return [];
  return [look(tested.cause.isOnConnection === true
    ? `Look at name resolution and the network between it and ${shownText(who, 80)}`
    : `Look at ${shownText(who, 80)}: its log, and what was changed there`,
  'The most likely cause is there.')];
}

/** Where to look while nothing is known of the cause: at what moved, or at the alert's own log. */
export function lookingSteps(judged: Judged, [top]: readonly Explained[]): NextStep[] {
  const { caseFile: { alert }, changes, evidence, now } = judged;
  const down = ownDown(judged);
  if (down !== null) return [look(hopText(down, judged), 'It does not answer.')];
  const best = top?.suspect?.best ?? null;
  if (best !== null) return [movedStep(best, judged)];
  const change = changes.find(({ strength }) => strength !== 'weak');
  if (change !== undefined) {
    const doubt = top !== undefined && isEstablished(top) ? ''
      : ', and whether it has to do with the alert';
    return [look(`Find out why this happened${doubt}: ${change.title}`,
      'It is what stands out most around the start.',
      queryOfItem(change.evidence[0] ?? '', judged))];
  }
  const place = placeOf(alert.labels);
  if (place === '') return [];
  const since = utcText(problemStart(evidence), now, true);
  return [look(`Read the log of ${place} since ${since}, and what was changed there`,
    'Nothing that is measured tells why.')];
}

function look(action: string, why: string, command: string | null = null): NextStep {
  return {
    ...readsOnly, kind: 'cause', id: 'cause', action, why, command, expected: null, undo: null,
  };
}

/** What was brought out goes back where it is likely to be the cause. */
function releaseStep(
  { kind, subject, component, before, after, release }: Release,
  top: Explained,
): NextStep {
  const who = shownText(component?.value ?? subject, 80);
  const why = 'It was changed as the problem began.';
  const [from, to] = [before ?? '', after ?? ''].map((text) => shownText(text, 80));
  if (release?.isBack === true) {
    return look(`See whether ${who} works with ${to}, which it went back to from ${from}`, why);
  }
  if (from === '' || to === '') {
    return look(`See what was changed in the configuration of ${who}, and take it back`, why);
  }
  const what = kind === 'version' ? who : `the setting of ${who}`;
  if (!isEstablished(top)) {
    return look(`See what ${to} of ${who} changed; take ${what} back to ${from} if nothing else ` +
      'explains the alert', why);
  }
  return {
    kind: 'cause', id: 'cause', action: `Take ${what} back to ${from}, from ${to}`, why,
    command: null, expected: 'The value comes back within the range of the rule.',
    risk: 'medium: what the change has done to data stays done', undo: `Bring ${to} out again.`,
  };
}

/** `Look at fulfilment: why worker pool size went from 8 to 1, and set it back …`. */
function movedStep(best: MovedSeries, judged: Judged): NextStep {
  const { candidate, before, after, isStep, evidence } = best;
  const { labels, component } = candidate;
  const command = queryOfItem(evidence, judged);
  const process = labelOf(labels, 'groupname');
  if (process !== null) {
    const place = placeOf({ instance: labelOf(labels, 'instance') ?? component });
    return look(`See what ${shownText(process, 80)} does on ${place}, and stop it unless it has ` +
      'to run now', 'It began to use more as the problem began.', command);
  }
  const [from, to] = [before, after].map((value) => shownValue(candidate, value));
  const back = isStep ? ', and set it back if nobody meant it' : ', and what was changed there';
  return look(`Look at ${componentName(component)}: why ${metricPhrase(candidate)} went from ` +
    `${from} to ${to}${back}`,
    isStep ? 'It stood still until then.' : 'It moved first or most.', command);
}

function contributorText(names: NonNullable<Explained['contributor']>): string {
  const who = enumerated(names.map(({ label, values }) =>
    `${label} ${enumerated(values.map((value) => shownText(value, 80)))}`));
  return `Look at ${who}: what it does or waits for, and limit or stop it`;
}

/** Look at one thing of many. */
function loneStep(fact: LoneFact, judged: Judged): NextStep {
  const rises = fact.parts.some(({ isOfRule, candidate: { signal }, before, after }) =>
    isOfRule && signal === 'traffic' && after > before);
  const who = loneName(fact);
  const since = utcText(loneBeganMs(fact), judged.now, true);
  const full = fact.machine?.changes.find(({ limit }) => limit !== null)?.candidate;
  const action = rises ? `Look at ${who}: what it sends more of, and limit or stop that`
    : full !== undefined ? `See what uses up the ${metricName(full) ?? full.metric} of ${who}, ` +
      'and end that or move it elsewhere'
      : isReplica(fact) ? `Look at the log of ${who} since ${since} and at what is different ` +
        'there; take it out of use if the others can carry its work'
        : `See what happened to ${who} at ${since}, and undo that`;
  return look(action, 'It differs from all others of its kind.',
    queryOfItem(fact.evidence, judged));
}

/** Whether others of its kind do the same work. */
function isReplica({ labels, parts }: LoneFact): boolean {
  return labels.some(({ label, value }) => hostNameOf(label, value) !== null ||
    parts.some(({ candidate: { metric } }) => isReplicaLabel(label, metric)));
}

/** What to do at the last failing thing of a path. */
function hopText(hop: PathHop, { now }: Judged): string {
  const who = shownText(hop.component, 80);
  const since = hop.since === null ? '' : ` since ${utcText(momentOf(hop.since, 0), now, true)}`;
  const [fault] = hop.faults;
  return fault === undefined ? `Look at ${who}: its log${since}` : faultStep(fault, who, since);
}

function faultStep({ kind, what, labels, until }: HopFault, who: string, since: string): string {
  const part = Object.values(labels).map((value) => shownText(value, 60)).slice(0, 2).join(', ');
  const named = part === '' ? '' : ` (${part})`;
  switch (kind) {
    case 'down': return until === null ? `Start ${who} again, and read in its log why it stopped`
      : `See whether ${who} is up again before you start it; its log says why it stopped`;
    case 'full': return `See who holds the ${what ?? 'places'} of ${who}${named}, and end what ` +
      'need not be';
    case 'limit_lowered': return `Set the limit of ${what ?? 'what is used'} of ${who} back`;
    case 'locked': return `End the session that keeps locks in ${who}${named}`;
    case 'alarm': return `See what uses up ${what ?? 'the resources'} of ${who}, and free some`;
    case 'no_consumer': return `Start what consumes from ${who}${named}`;
    case 'link_down': return `See why ${who} has lost its primary: the link, or its credentials`;
    case 'no_server': return `Bring servers of ${who} back${named}`;
    case 'unreachable': return `Look at name resolution and the network on the way to ${who}`;
    case 'waiting': return `See what those who wait in ${who}${named} wait for: what runs ` +
      'longest, and who holds it';
    case 'holds': return `Restart ${who}, which keeps its ${what ?? 'places'}, and read in its ` +
      'log why it gives none back';
    case 'repeats': return `See what in ${who} calls ${what ?? 'it'} more often for each ` +
      'request, and take its last change back';
    case 'busy': return `See what uses the ${what ?? 'resources'} of ${who}${named}`;
    case 'throttled': return `Look at the temperature, the fans and the power of ${who}, and ` +
      'take it out of service';
    case 'uses': return `Stop ${who}, or move it to another machine, unless it has to run now`;
    case 'fails': case 'slow':
      return `Look at ${who}: its log${since}, and what was changed there`;
  }
}
