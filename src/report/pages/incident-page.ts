import { html, isolated, link, sentence, type Html } from '../html.ts';
import type { IncidentEntry, IncidentView } from '../incident.ts';
import { formatExactMoment, formatSpan } from '../moment.ts';
import { renderPage, type PageOptions } from '../page.ts';
import { counted, shorten } from '../plain-text.ts';
import { severitySigns } from './header-section.ts';
import { glyph, momentAndAge, section } from './view.ts';

/** Seconds after which the page of an incident that goes on looks again. */
const refreshSeconds = 30;

/** All alerts of an incident, the likeliest origin first. */
export function renderIncidentPage(incident: IncidentView, options: PageOptions): string {
  const { now, script, revision } = options;
  const { members, url } = incident;
  const open = members.filter((member) => member.ends_at === null);
  const title = `Incident of ${counted(members.length, 'alert')}`;
  return renderPage({
    title: open.length === 0 ? `Over: ${title}` : title,
    mood: moodOf(open),
    refreshSeconds: open.length === 0 ? null : refreshSeconds,
    script,
    live: { revision, episode: null },
    main: html`<header class="top"><h1>${title}</h1>
<p>${open.length === 0 ? 'All of them have ended.' : `${open.length} of them still firing.`}</p>
</header>
${originSection(incident, now)}
${section('members', 'Alerts', html`<ul class="alerts">${
  members.map((member) => html`<li>${memberItem(member, now)}</li>\n`)}</ul>`)}`,
    foot: html`<p>${link(`${url}.json`, 'JSON')}</p>
<p class="small">Page of ${formatExactMoment(new Date(now).toISOString())}.</p>`,
  });
}

function originSection({ members, likely_origin: origin }: IncidentView, now: number): Html {
  const [first] = members;
  if (first === undefined || origin === null) {
    const text = 'Nothing sets one of these alerts apart as the one that came first.';
    return section('origin', 'Likely origin', html`<p class="quiet">${text}</p>`);
  }
  return section('origin', 'Likely origin', html`${memberItem(first, now)}
<p class="quiet">It stands lowest: nodes before pods, pods before services, and of one layer what
began first. That is a rule of thumb and no proof.</p>`);
}

function memberItem(member: IncidentEntry, now: number): Html {
  const { name, severity, namespace, headline, starts_at: from, ends_at: to } = member;
  const times = to === null
    ? html`since ${momentAndAge(from, now)}`
    : html`from ${momentAndAge(from, now)} for ${formatSpan(from, to, now)}`;
  return html`${link(member.report_url, isolated(shorten(name, 120)))}
<p class="small"><strong class="${severity}">${glyph(severitySigns[severity])} ${
  severity}</strong>${namespace !== null && html` · ${isolated(shorten(namespace, 64))}`} · ${
  times}</p>
${headline !== null && html`<p>${sentence(shorten(headline, 300))}</p>`}`;
}

function moodOf(open: readonly IncidentEntry[]): 'critical' | 'warning' | 'resolved' {
  if (open.length === 0) return 'resolved';
  return open.some(({ severity }) => severity === 'critical') ? 'critical' : 'warning';
}
