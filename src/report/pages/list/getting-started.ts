import { html, type Html } from '../../html.ts';
import { commandBlock, section } from '../elements.ts';

export interface GettingStarted {
  /** Public base address of reports, without a trailing slash. */
  readonly reportBase: string;
  /** Whether senders need a token. */
  readonly needsToken: boolean;
}

/** Shown until the first alert arrives: how to set up Alertmanager, and how to try it. */
export function gettingStartedSection(given: GettingStarted): Html {
  return section('start', 'No alert has arrived yet', html`
<p>Add this to Alertmanager's configuration and reload it. Put the route first;
<code>continue</code> makes your other receivers get the alerts as before.</p>
${commandBlock(receiverLines(given), { id: 'receiver', what: 'the configuration' })}
<p class="first">Or send one alert by hand. Its report appears here a moment later.</p>
${commandBlock(trialCommand(given), { id: 'trial', what: 'the command that sends an alert' })}
${given.needsToken && html`<p class="first quiet">This service requires a token:
put it in place of <code>&lt;ACCESS_TOKEN&gt;</code>.</p>`}`);
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
