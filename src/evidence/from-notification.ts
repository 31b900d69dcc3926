import type { CaseFile } from '../report/case-file.ts';
import type { Ledger } from './ledger.ts';

/** The notification around the alert: its group, and how much of it was sent. */
export function addGroupEvidence(ledger: Ledger, { group, receivedAt }: CaseFile): string {
  return ledger.add({
    kind: 'group',
    source: 'notification',
    title: 'Notification of the group',
    summary: truncationText(group) ??
      `The notification lists ${allOf(group.listed)} of its group.`,
    data: {
      receiver: group.receiver, groupKey: group.groupKey, groupLabels: group.groupLabels,
      listed: group.listed, truncated: group.truncated,
    },
    fetched_at: receivedAt,
    truncated: group.truncated > 0,
  });
}

/** `12 of 57 alerts of the group were sent.`, or null when all of them were. */
export function truncationText(group: CaseFile['group']): string | null {
  if (group.truncated === 0) return null;
  return `${group.listed} of ${group.listed + group.truncated} alerts of the group were sent.`;
}

function allOf(count: number): string {
  return count === 1 ? 'the only alert' : `all ${count} alerts`;
}
