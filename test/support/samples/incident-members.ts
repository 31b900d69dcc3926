import { fingerprintOf } from '../../../src/alert/fingerprint.ts';
import type { LabelSet } from '../../../src/alert/labels.ts';
import type { Incidents } from '../../../src/incidents/incidents.ts';
import type { Member, Membership } from '../../../src/incidents/member.ts';

export interface TestMember extends Member {
  startsAt: string;
  incident: Membership | null;
  readonly labels: LabelSet;
  readonly groupKey: string;
}

export const stormStart: number = Date.parse('2026-11-20T10:00:00Z');

/** An alert that began `seconds` after {@linkcode stormStart} and has not been opened yet. */
export function member(labels: LabelSet, seconds = 0, groupKey = ''): TestMember {
  return {
    fingerprint: fingerprintOf(labels),
    number: 1,
    startsAt: new Date(stormStart + seconds * 1000).toISOString(),
    incident: null,
    labels,
    groupKey,
  };
}

/** Opens the members in order; `sequence` of the first, each its own record. */
export function openAll(
  incidents: Incidents<TestMember>,
  members: readonly TestMember[],
  sequence = 1,
): void {
  for (const [index, each] of members.entries()) {
    incidents.open(each, each, { sequence: sequence + index, index: 0 });
  }
  incidents.settle();
}

/** For each incident the positions of its members, in the order of the first of them. */
export function grouping(members: readonly TestMember[]): number[][] {
  const groups = new Map<string, number[]>();
  for (const [index, { incident }] of members.entries()) {
    if (incident === null) continue;
    groups.set(incident.id, [...(groups.get(incident.id) ?? []), index]);
  }
  return [...groups.values()];
}
