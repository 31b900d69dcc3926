import { html, isolated, type Html } from '../../html.ts';
import type { EvidenceItem, Report, Statement } from '../../report.ts';
import { listLengthMax } from '../elements.ts';
import { told } from './told.ts';

/** What every section of a report's page is given. */
export interface View {
  readonly report: Report;
  /** Ms; what "ago" counts from. */
  readonly now: number;
  /** Ids of evidence that are elements of the page, and so can be linked to. */
  readonly anchors: ReadonlySet<string>;
  /** How people say something of the report. */
  readonly feedbackBy: 'form' | 'command';
}

export function createView(
  report: Report,
  now: number,
  feedbackBy: View['feedbackBy'] = 'form',
): View {
  const ids = report.evidence.slice(0, listLengthMax).map(({ id }) => id);
  const anchors = new Set(ids.filter((id) => /^E\d{1,6}$/.test(id)));
  return { report, now, anchors, feedbackBy };
}

/** The item of that id; undefined where there is none. */
export function evidenceFor({ report }: View, id: string | undefined): EvidenceItem | undefined {
  return id === undefined ? undefined : report.evidence.find((item) => item.id === id);
}

/** Whether the analysis has yet to say what can be said. */
export function isUnderWay({ report }: View): boolean {
  return report.status === 'queued' || report.status === 'analysing';
}

/** Links to the evidence a statement rests on; an id that is not on the page is plain text. */
export function citations(ids: readonly string[], { anchors }: View): Html {
  if (ids.length === 0) return html``;
  const links = ids.slice(0, listLengthMax).map((id) => {
    if (!anchors.has(id)) return html` [${isolated(id)}]`;
    return html` <a href="#${id}">[${id}]</a>`;
  });
  return html`<span class="cites">${links}</span>`;
}

/** A sentence and what it rests on. */
export function statement({ text, evidence }: Statement, view: View): Html {
  return html`${told(text, view)}${citations(evidence, view)}`;
}
