import type { EpisodeKey } from '../../alert/episode-key.ts';
import { readReport } from '../read-report.ts';
import type { Report } from '../report.ts';
import type { ReportStore } from './report-store.ts';

/** Null when there is none or it is damaged. Rejects when it cannot be read. */
export async function storedReport(
  reports: Pick<ReportStore, 'read'>,
  key: EpisodeKey,
): Promise<Report | null> {
  const json = await reports.read(key);
  return json === null ? null : readReport(json);
}
