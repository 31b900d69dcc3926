import { shownNameOf } from '../report/alert-place.ts';
import type { RelatedAlert } from '../report/report.ts';
import { reportUrl } from '../report/report-url.ts';
import { relatedAlerts, relatedMax } from './related.ts';
import type { Situation } from './situation.ts';

/**
 * Related alerts, including those in Alertmanager that were not sent here: first what inhibits this
 * alert, then the closest. Their links lead to a report once the alert is sent here too.
 */
export function relatedEverywhere({ caseFile, related, evidence }: Situation): RelatedAlert[] {
  const { inhibitors = [], others = [] } = evidence.alertmanager ?? {};
  const inhibiting = inhibitors.map(({ fingerprint, labels }): RelatedAlert => ({
    fingerprint,
    name: labels === null ? fingerprint : shownNameOf(labels),
    why: 'It inhibits this alert.',
    similarity: 1,
    report_url: reportUrl(caseFile.reportBase, fingerprint, null),
  }));
  const elsewhere = relatedAlerts({ ...caseFile, openAlerts: others });
  const rest = [...related, ...elsewhere].filter(({ fingerprint }) =>
    inhibiting.every((other) => other.fingerprint !== fingerprint));
  rest.sort((a, b) => b.similarity - a.similarity);
  return [...inhibiting, ...rest].slice(0, relatedMax);
}
