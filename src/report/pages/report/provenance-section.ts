import { formatQuantity } from '../../../lib/quantity.ts';
import { html, isolated, link, type Html } from '../../html.ts';
import { counted } from '../../plain-text.ts';
import { sourceStateWords } from '../../words.ts';
import { fold, listItems, listLengthMax, moment, rowList, type Row } from '../elements.ts';
import type { View } from './view.ts';

/** How the report was made. */
export function provenanceContent(view: View): Html {
  return html`${
    fold(madeLine(view), html`${rowList(provenanceRows(view))}${sourceTable(view)}`)}
${checkList(view)}`;
}

/** `Updated 02:14 UTC by version 1.2.3, 3 of 5 sources configured, 1 failed`. */
function madeLine({ report, now }: View): Html {
  const { sources, version } = report.provenance;
  const asked = sources.filter(({ state }) => state !== 'not_configured').length;
  const failed = sources.filter(({ state }) => state === 'failed').length;
  return html`Updated ${moment(report.updated_at, now)} by version ${isolated(version)}${
    sources.length > 0 && `, ${asked} of ${counted(sources.length, 'source')} configured`}${
    failed > 0 && `, ${failed} failed`}`;
}

function provenanceRows({ report, now }: View): readonly Row[] {
  const { provenance, alert: { receiver, group_key: groupKey, group } } = report;
  const { started_at: from, finished_at: to, recording_url: recording } = provenance;
  const missing = group.truncated > 0 && `, ${group.truncated} more were left out by the sender`;
  return [
    ['Updated', moment(report.updated_at, now)],
    ['Analysis', counted(provenance.attempts, 'attempt')],
    ['Started', from !== null && moment(from, now)],
    ['Finished', to !== null && moment(to, now)],
    ['Redacted', provenance.redactions > 0 && provenance.redactions],
    ['Receiver', receiver !== '' && isolated(receiver)],
    ['Group', groupKey !== '' && html`<code dir="ltr">${groupKey}</code>`],
    ['Alerts in group', group.listed > 0 && html`${group.listed}${missing}`],
    ['Recording', recording !== null && link(recording, 'Answers of the sources')],
    ['Version', isolated(provenance.version)],
  ];
}

function sourceTable({ report }: View): Html {
  const { sources } = report.provenance;
  if (sources.length === 0) return html``;
  const rows = sources.slice(0, listLengthMax).map(({ name, state, duration_ms: ms, queries }) => {
    return html`<tr><td>${isolated(name)}</td><td>${sourceStateWords[state]}</td>
<td class="number">${formatQuantity(ms, 'milliseconds')}</td><td class="number">${queries}</td></tr>
`;
  });
  return html`<table class="small"><thead><tr><th scope="col">Source</th><th scope="col">State</th>
<th scope="col" class="number">Took</th><th scope="col" class="number">Queries</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

function checkList({ report }: View): Html {
  const { checks } = report.provenance;
  if (checks.length === 0) return html``;
  const done = checks.filter(({ state }) => state === 'done').length;
  const items = listItems(checks, ({ name, state, why }) =>
    html`${isolated(name)}: ${state}${why !== null && html`, ${isolated(why)}`}`);
  const summary = `${done} of ${counted(checks.length, 'check')} done`;
  return fold(summary, html`<ul class="points">${items}</ul>`);
}
