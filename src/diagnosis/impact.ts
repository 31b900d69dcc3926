import { ruleNameOf } from '../alert/alert.ts';
import { clusterLabels, labelOf, tellsThing, type LabelSet } from '../alert/labels.ts';
import { isOfItsRule } from '../knowledge/match-family.ts';
import { objectLabels, wholeOf } from '../report/alert-place.ts';
import type { CaseFile, OpenAlert } from '../report/case-file.ts';
import type { Impact } from '../report/report.ts';
import { shownText } from '../report/shown-text.ts';
import { extentOf } from './extent.ts';
import { isOnTargets } from './scraped-targets.ts';
import { isResolved, type Situation } from './situation.ts';

/** Impact is broad when this share of the rule's series is affected and there are enough series. */
const peersMin = 3;
const broadShare = 0.75;

/** Labels that name one target, or one part of it; a service or a cluster has many. */
const targetLabels = objectLabels.filter((name) =>
  !['service', 'destination_canonical_service', 'sloth_service', 'job', 'slo', 'rabbitmq_cluster',
    ...clusterLabels, 'envoy_cluster_name', 'resource'].includes(name));
/** Labels that a target has on its server. Without any, `up` is that of many others as well. */
const scrapedLabels = ['job', 'instance', 'pod'];

/** How far the problem reaches: alerts of the same name, and other series of the same rule. */
export function impactOf(situation: Situation): Impact {
  const { caseFile, evidence } = situation;
  const { labels, group, open } = evidence.ids;
  const { peers = null, scrape = null } = evidence.metrics ?? {};
  const copies = copiesOf(caseFile).length;
  const others = Math.max(0, caseFile.sameNameOpen - copies);
  const firingSame = others + (isResolved(situation) ? 0 : 1);
  const listed = Math.max(1, groupSize(situation) - copies);
  const hit = Math.max(others + 1, listed, peers?.beyond ?? 0);
  const isBroad = peers !== null && peers.total >= peersMin &&
    peers.beyond >= broadShare * peers.total;
  const names = (label: string): boolean => Boolean(labelOf(caseFile.alert.labels, label));
  const isCounted = scrape !== null && scrape.total > 0 && scrapedLabels.some(names);
  const targets = isCounted ? scrape : null;
  const affected = affectedObjects(situation);
  // A rule that adds everything up has one series, however much is behind it.
  const isUntold = hit === 1 && !targetLabels.some(names) && (peers?.total ?? 1) <= 1;
  const extent = extentOf(situation);
  const measured = [...(peers === null ? [] : [peers.evidence]), ...(scrape?.evidence ?? [])];
  return {
    scope: isUntold ? null : isBroad ? 'broad' : scopeWord(hit),
    firing_same: firingSame,
    targets_up: targets?.up ?? null,
    targets_total: targets?.total ?? null,
    ...leadsTo(situation),
    affected,
    ...extent !== null && { extent },
    evidence: [...new Set([labels, group, open, ...measured])],
  };
}

/** What the alert's family leads to: known for its own rule, usual for what only looks like it. */
function leadsTo({ knowledge }: Situation): Pick<Impact, 'leads_to'> {
  const text = knowledge?.family.impact ?? null;
  if (knowledge === null || text === null) return {};
  return { leads_to: { text, is_usual: !isOfItsRule(knowledge) } };
}

/** External labels; a `replica` alone may be one of a store. */
const serverReplica = /^(?:prometheus|vmalert|(?:\w+_)?ruler)_replica$/u;

/**
 * The same alert as sent by the other Prometheus servers of a pair: they differ in the label that
 * names the server alone.
 */
export function copiesOf({ alert, openAlerts }: CaseFile): OpenAlert[] {
  return openAlerts.filter(({ labels }) => {
    const names = new Set([...Object.keys(alert.labels), ...Object.keys(labels)]);
    const differing = [...names].filter((name) =>
      labelOf(labels, name) !== labelOf(alert.labels, name));
    return differing.length > 0 && differing.every((name) => serverReplica.test(name));
  });
}

export function scopeWord(count: number): NonNullable<Impact['scope']> {
  if (count <= 1) return 'single';
  if (count < 5) return 'few';
  return count < 20 ? 'many' : 'broad';
}

/** Alerts of the group that certainly share this one's name, truncated ones included. */
function groupSize({ caseFile }: Situation): number {
  const { groupLabels, listed, truncated } = caseFile.group;
  return labelOf(groupLabels, 'alertname') === null ? 1 : listed + truncated;
}

/** The object of each alert of the same name, this one's first. */
function affectedObjects(situation: Situation): string[] {
  const { caseFile } = situation;
  const { labels } = caseFile.alert;
  const name = ruleNameOf(labels);
  const copies = copiesOf(caseFile);
  const same = caseFile.openAlerts.filter((other) =>
    ruleNameOf(other.labels) === name && !copies.includes(other));
  const sets = [labels, ...same.map((other) => other.labels)];
  // A label whose value differs between the alerts identifies them better than one they share.
  const others = Object.keys(labels).filter((label) =>
    tellsThing(label) && !objectLabels.includes(label));
  const differing = [...objectLabels, ...others].find((label) =>
    new Set(sets.map((set) => labelOf(set, label))).size > 1);
  const objects = [
    ...sets.map((set) => objectOf(set, differing)),
    ...targetsDown(situation).map((set) => objectOf(set, 'instance')),
  ].filter((text) => text !== null);
  return [...new Set(objects)];
}

/** Targets that are down, where the rule is on them: its alert may only carry their number. */
function targetsDown(situation: Situation): readonly LabelSet[] {
  return isOnTargets(situation) ? (situation.evidence.metrics?.scrape?.down ?? []) : [];
}

function objectOf(labels: LabelSet, preferred: string | undefined): string | null {
  const has = (label: string): boolean => (labelOf(labels, label) ?? '') !== '';
  const label = preferred !== undefined && has(preferred) ? preferred : objectLabels.find(has);
  if (label === undefined) return null;
  return `${label}=${shownText(labelOf(labels, label) ?? '', 120)}${wholeOf(labels, label)}`;
}
