import { html, type Html } from '../../html.ts';
import { section } from '../elements.ts';

export interface GettingStarted {
  /** Address reports are reached under, without a trailing slash. */
  readonly reportBase: string;
  /** Whether senders have to present a token. */
  readonly needsToken: boolean;
}

/** Shown while nothing has ever arrived: what to paste where, and how to try it. */
export function gettingStartedSection(given: GettingStarted): Html {
  return section('start', 'No alert has arrived yet', html`
<p>Add this to the configuration of Alertmanager and reload it. The route stands first;
<code>continue</code> lets your other receivers have the alerts as before.</p>
<pre class="command" dir="ltr" tabindex="0">${receiverLines(given)}</pre>
<p class="first">Or send one alert by hand. Its report is listed here a moment later.</p>
<pre class="command" dir="ltr" tabindex="0">${trialCommand(given)}</pre>
${given.needsToken && html`<p class="first quiet">A token is set: put it where
<code>&lt;ACCESS_TOKEN&gt;</code> stands.</p>`}`);
}

function receiverLines({ reportBase, needsToken }: GettingStarted): string {
  const login = `
        http_config:
          authorization:
            type: Bearer
            credentials: <ACCESS_TOKEN>`;
  return `route:
  routes:
    - receiver: alert-analyst
      continue: true
      group_wait: 5s
receivers:
  - name: alert-analyst
    webhook_configs:
      - url: ${reportBase}/webhook
        send_resolved: true${needsToken ? login : ''}`;
}

function trialCommand({ reportBase, needsToken }: GettingStarted): string {
  const login = needsToken ? `-H 'Authorization: Bearer <ACCESS_TOKEN>' ` : '';
  return `curl ${login}-H 'Content-Type: application/json' ${reportBase}/webhook \\
  -d '{"alerts":[{"labels":{"alertname":"Test","severity":"warning"}}]}'`;
}
