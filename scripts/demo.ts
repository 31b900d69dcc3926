/**
 * Replays a recorded failure through the service, and prints the address of its report.
 *
 *   npm run demo
 *
 * A stand-in for Prometheus serves the recording as if the failure had begun a few minutes ago.
 * Everything else is the service as it is installed: the alert is posted as Alertmanager would post
 * it, and so is its end. Needs nothing but Node, and keeps nothing.
 */
import { withCleanup } from '../test/support/cleanup.ts';
import { postNotification } from '../test/support/http/post-notification.ts';
import { startAnalyst } from '../test/support/programs/running-analyst.ts';
import { temporaryDirectory } from '../test/support/temporary-directory.ts';
import { failureNotification, serveFailure } from './demo/recorded-failure.ts';
import { finishedReport } from './ranking/reported-case.ts';
import { scriptOptions } from './script-options.ts';

scriptOptions(import.meta.url, {});

const stopped = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
});

await withCleanup(async (cleanup) => {
  const { alert, endsAt, url: prometheus } = await serveFailure(cleanup, Date.now());
  const { url } = await startAnalyst({
    dataDirectory: temporaryDirectory(), env: { PROMETHEUS_URL: prometheus },
  }, cleanup);
  const post = (ended: number | null): Promise<readonly string[]> =>
    postNotification(url, failureNotification(alert, 'http://prometheus.example.com:9090', ended));
  const [fingerprint = ''] = await post(null);
  await finishedReport(url, fingerprint);
  process.stdout.write(`
A fault was injected into a pet shop on AWS and recorded. Here its alert has been firing for 3
minutes. It ends in ${Math.round((endsAt - Date.now()) / 60_000)} minutes, and an open page follows.

  The report:         ${url}/report/${fingerprint}
  The list of alerts: ${url}/
  In the terminal:    curl ${url}/report/${fingerprint}.md

Ctrl-C ends the demo. It keeps nothing.
`);
  const ended = setTimeout(() => void post(endsAt), endsAt - Date.now());
  await stopped;
  clearTimeout(ended);
});
