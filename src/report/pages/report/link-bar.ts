import { html, isolated, link, type Html } from '../../html.ts';
import { silenceCommand } from '../../silence.ts';
import { webAddress } from '../../web-address.ts';
import { commandBlock, fold } from '../elements.ts';
import { pathOf, type View } from './view.ts';

/** Links of the alert, how to silence it, and the report in other formats. */
export function linkBar({ report }: View): Html {
  const links = report.alert.links.filter(({ url }) => webAddress(url) !== null);
  const pages = links.filter(({ kind }) => kind !== 'silence');
  const form = links.find(({ kind }) => kind === 'silence');
  const command = silenceCommand(report);
  const path = pathOf(report);
  return html`<nav class="links" aria-label="Elsewhere">
${pages.map(({ title, url }) => link(url, isolated(title), 'button'))}
${form !== undefined && fold('Silence…', html`<p>${
  link(form.url, 'Open the filled-in form', 'button')}</p>${
  command !== null && html`<p class="quiet">or from a terminal, for two hours:</p>${
    commandBlock(command, { id: 'silence-command', what: 'the silence command' })}`}`)}
<details class="more"><summary>More</summary><p>
${path !== '' && html`<button type="button" class="scripted-only" data-copy-report="${
    path}.md">Copy as Markdown</button>`}
<button type="button" class="scripted-only" data-print>Print</button>
${path !== '' && link(`${report.report_url}.json`, 'JSON', 'button')}</p></details>
</nav>
`;
}
