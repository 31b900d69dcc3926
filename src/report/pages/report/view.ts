import { readSeries, type SeriesRead } from '../../charts/read-series.ts';
import { listedEvidence } from '../../listed-evidence.ts';
import type { EvidenceItem, Report } from '../../report.ts';
import { webAddress } from '../../web-address.ts';
import { listLengthMax } from '../elements.ts';

export interface ViewOptions {
  /** Ms; what ages are relative to. */
  readonly now: number;
  /** `command` if feedback requires a token, which a page cannot send. Default `form`. */
  readonly feedbackBy?: 'form' | 'command';
  /** Whether there is a model to answer them. Default false. */
  readonly takesQuestions?: boolean;
}

/** What every section of a report's page is rendered from. */
export interface View extends Required<ViewOptions> {
  readonly report: Report;
  /** Ids of evidence items that are elements of the page and can be linked to. */
  readonly anchors: ReadonlySet<string>;
  /** The series that evidence holds, by the item's id. */
  readonly series: ReadonlyMap<string, SeriesRead>;
}

export function createView(
  report: Report,
  { now, feedbackBy = 'form', takesQuestions = false }: ViewOptions,
): View {
  const ids = listedEvidence(report).slice(0, listLengthMax).map(({ id }) => id);
  const anchors = new Set(ids.filter((id) => /^E\d{1,6}$/.test(id)));
  const series = new Map(report.evidence.flatMap((item) => {
    const read = readSeries(item);
    return read === null ? [] : [[item.id, read] as const];
  }));
  return { report, now, anchors, series, feedbackBy, takesQuestions };
}

export function evidenceFor({ report }: View, id: string | undefined): EvidenceItem | undefined {
  return id === undefined ? undefined : report.evidence.find((item) => item.id === id);
}

/** Whether an analysis is queued or running. */
export function isUnderWay({ report }: View): boolean {
  return report.status === 'queued' || report.status === 'analysing';
}

/** Whether there is a verdict; while the analysis is under way an inconclusive one is none yet. */
export function isConcluded(view: View): boolean {
  return !isUnderWay(view) || view.report.verdict.certainty !== 'inconclusive';
}

/** Address of the list of alerts; empty for a report whose own address is none. */
export function listAddressOf({ report_url: url }: Report): string {
  return URL.canParse('../../', url) ? new URL('../../', url).href : '';
}

/** Path of the report's own address, as the reader may use another host name; empty for none. */
export function pathOf({ report_url: address }: Report): string {
  const url = webAddress(address);
  return url === null ? '' : new URL(url).pathname.replace(/^\/+/, '/').replace(/\/$/, '');
}
