import { fingerprintOf } from '../../../src/alert/fingerprint.ts';
import type { LabelSet } from '../../../src/alert/labels.ts';
import type { Found } from '../../../src/incidents/found.ts';
import type { Incidents } from '../../../src/incidents/incidents.ts';
import type { Member, Membership } from '../../../src/incidents/member.ts';
import { settled } from '../settled.ts';

export interface TestMember extends Member {
  startsAt: string;
  endsAt: string | null;
  incident: Membership | null;
  readonly labels: LabelSet;
  readonly groupKey: string;
  readonly windowMs: number;
  conclusion: { readonly found?: Found } | null;
}

export const stormStart: number = Date.parse('2026-11-20T10:00:00Z');

/** An alert that started `seconds` after {@linkcode stormStart} and is not opened yet. */
export function member(labels: LabelSet, seconds = 0, groupKey = ''): TestMember {
  return {
    fingerprint: fingerprintOf(labels),
    number: 1,
    startsAt: new Date(stormStart + seconds * 1000).toISOString(),
    endsAt: null,
    incident: null,
    labels,
    groupKey,
    windowMs: 0,
    conclusion: null,
  };
}

/** Opens the members in order, each in its own record; `sequence` is that of the first. */
export function openAll(
  incidents: Incidents<TestMember>,
  members: readonly TestMember[],
  sequence = 1,
): void {
  for (const [index, each] of members.entries()) {
    incidents.open(each, each, { sequence: sequence + index, index: 0 });
  }
  settled(incidents);
}

/** The positions of each incident's members; incidents are ordered by their first member. */
export function grouping(members: readonly TestMember[]): number[][] {
  const groups = new Map<string, number[]>();
  for (const [index, { incident }] of members.entries()) {
    if (incident === null) continue;
    groups.set(incident.id, [...(groups.get(incident.id) ?? []), index]);
  }
  return [...groups.values()];
}
