/**
 * Posts sample notifications to a running service and prints the report links it answers with.
 *
 *   npx tsx scripts/send-alert.ts [--url http://127.0.0.1:8080] [--token TOKEN] [--count 1]
 *       [--sample firing|resolved|group|storm|truncated|unicode|hostile]
 *
 * Exits with 1 when a notification was not accepted.
 */
import { sampleNames, sampleNotification, type SampleName } from './samples.ts';
import { scriptOptions } from './script-options.ts';

interface Answer {
  readonly detail?: string;
  readonly report_urls?: readonly { readonly alert_name: string; readonly report_url: string }[];
}

const options = scriptOptions(import.meta.url, {
  url: { type: 'string', default: 'http://127.0.0.1:8080' },
  token: { type: 'string' },
  sample: { type: 'string', default: 'firing', oneOf: sampleNames },
  count: { type: 'number', default: 1 },
});
const address = `${options.url.replace(/\/$/, '')}/webhook`;
const headers = {
  'content-type': 'application/json',
  ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
};

for (let number = 1; number <= options.count; number += 1) {
  const refusal = await send(options.sample, number);
  if (refusal === null) continue;
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 1;
  break;
}

/** Prints the links. Returns why there are none, or null. */
async function send(sample: SampleName, number: number): Promise<string | null> {
  const body = JSON.stringify(sampleNotification(sample, number, Date.now()));
  try {
    const response = await fetch(address, { method: 'POST', headers, body });
    const answer = (await response.json()) as Answer;
    if (response.status !== 200) return `${response.status} ${answer.detail ?? ''}`;
    for (const { alert_name: name, report_url: link } of answer.report_urls ?? []) {
      process.stdout.write(`${JSON.stringify(name)}  ${link}\n`);
    }
    return null;
  } catch (error) {
    const { cause, message } = error as Error;
    return `Cannot post to ${address}: ${cause instanceof Error ? cause.message : message}`;
  }
}
