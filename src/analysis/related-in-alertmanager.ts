import { relatedAlerts } from '../diagnosis/related.ts';
import type { AlertmanagerFacts } from '../evidence/alertmanager/collect-alertmanager.ts';
import { shownNameOf } from '../report/alert-place.ts';
import type { CaseFile } from '../report/case-file.ts';
import type { RelatedAlert } from '../report/report.ts';
import { reportUrl } from '../report/report-url.ts';

const relatedMax = 20;

/**
 * Related alerts, including those in Alertmanager that were not sent here: first what inhibits this
 * alert, then the closest. Their links lead to a report once the alert is sent here too.
 */
export function withRelatedElsewhere(
  known: readonly RelatedAlert[],
  caseFile: CaseFile,
  { others, inhibitors }: AlertmanagerFacts,
): RelatedAlert[] {
  const inhibiting = inhibitors.map(({ fingerprint, labels }): RelatedAlert => ({
    fingerprint,
    name: labels === null ? fingerprint : shownNameOf(labels),
    why: 'It inhibits this alert.',
    similarity: 1,
    report_url: reportUrl(caseFile.reportBase, fingerprint, null),
  }));
  const elsewhere = relatedAlerts({ ...caseFile, openAlerts: others });
  const rest = [...known, ...elsewhere].filter(({ fingerprint }) =>
    inhibiting.every((other) => other.fingerprint !== fingerprint));
  rest.sort((a, b) => b.similarity - a.similarity);
  return [...inhibiting, ...rest].slice(0, relatedMax);
}
