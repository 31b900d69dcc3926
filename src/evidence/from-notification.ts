import type { CaseFile } from '../report/case-file.ts';
import type { Ledger } from './ledger.ts';

/** Adds the alert's group, and how much of it the notification lists. */
export function addGroupEvidence(ledger: Ledger, { group, receivedAt }: CaseFile): string {
  return ledger.adderFor('notification', receivedAt)({
    kind: 'group',
    title: 'Notification of the group',
    summary: `${group.truncated > 0 ? listedClause(group)
      : `The notification lists ${allOf(group.listed)} of its group`}.`,
    data: {
      receiver: group.receiver, groupKey: group.groupKey, groupLabels: group.groupLabels,
      listed: group.listed, truncated: group.truncated,
    },
    truncated: group.truncated > 0,
  });
}

export function listedClause({ listed, truncated }: CaseFile['group']): string {
  return `The notification lists ${listed} of the ${listed + truncated} alerts of its group`;
}

function allOf(count: number): string {
  return count === 1 ? 'the only alert' : `all ${count} alerts`;
}
