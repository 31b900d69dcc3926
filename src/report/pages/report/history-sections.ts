import { parseTime } from '../../../alert/timestamp.ts';
import { episodeStrip } from '../../charts/episode-strip.ts';
import { html, isolated, link, type Html } from '../../html.ts';
import { counted } from '../../plain-text.ts';
import type { RelatedAlert } from '../../report.ts';
import type { ReportedIncident } from '../../reported-incident.ts';
import { formatSpan } from '../../time-text.ts';
import { classificationWords, historyRows } from '../../words.ts';
import { fold, itemList, moment, rowList } from '../elements.ts';
import type { View } from './view.ts';

/** Related alerts shown directly; the others are folded. */
const relatedShown = 8;

/** Other alerts that may belong to the same problem. */
export function relatedContent(view: View): Html {
  const { related, incident } = view.report;
  const [near, far] = [related.slice(0, relatedShown), related.slice(relatedShown)];
  const rest = far.length > 0 && fold(`${far.length} more`, itemList(far, relatedItem));
  return html`${incident !== null && incidentLine(incident)}${
    itemList(near, relatedItem)}${rest}`;
}

function incidentLine({ url, members, likely_origin: origin }: ReportedIncident): Html {
  return html`<p>${link(url, `Part of an incident of ${counted(members.length, 'alert')}`)}${
    origin !== null && html`; likely origin: ${isolated(origin)}`}.</p>`;
}

function relatedItem({ name, why, report_url: url }: RelatedAlert): Html {
  return html`${link(url, isolated(name))} <span class="quiet">– ${isolated(why)}</span>`;
}

/** Earlier episodes and their statistics; empty without any. */
export function historyContent(view: View): Html {
  const { history } = view.report;
  const listed = history.episodes.length;
  if (listed <= 1 && history.last_30d <= 1) return html``;
  return html`${rowList(historyRows(history))}
${stripOf(view)}
${listed > 1 && episodeTable(view)}`;
}

/** The listed episodes of 30 days as a strip, as of the report: it knows of no later ones. */
function stripOf({ report, now }: View): Html {
  const episodes = report.history.episodes.flatMap(({ number, starts_at: from, ends_at: to }) => {
    const fromMs = parseTime(from);
    const isThis = number === report.episode.number;
    const toMs = to === null ? null : parseTime(to);
    return fromMs === null ? [] : [{ number, fromMs, toMs, isThis }];
  });
  const madeMs = parseTime(report.provenance.finished_at ?? report.updated_at) ?? now;
  return episodeStrip(episodes, { now: madeMs, total: report.history.last_30d });
}

function episodeTable({ report, now }: View): Html {
  const rows = report.history.episodes.slice(0, 20).map((episode) => {
    const { number, starts_at: from, ends_at: to, classification } = episode;
    const isThis = number === report.episode.number;
    const lasted = to === null ? 'still firing' : formatSpan(from, to, now);
    const label = isThis ? `${number} (this)` : link(episode.report_url, String(number));
    return html`<tr><td>${label}</td>
<td>${moment(from, now)}</td><td>${lasted}</td>
<td>${classification === null ? '' : classificationWords[classification]}</td></tr>
`;
  });
  return html`<table class="small"><thead><tr><th scope="col">Episode</th><th scope="col">Began</th>
<th scope="col">Lasted</th><th scope="col">Verdict</th></tr></thead><tbody>${rows}</tbody></table>`;
}
