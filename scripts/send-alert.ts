/**
 * Posts sample notifications to a running service and prints the links it answers with.
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

process.exitCode = await main();

async function main(): Promise<number> {
  const values = scriptOptions(import.meta.url, {
    url: { type: 'string', default: 'http://127.0.0.1:8080' },
    token: { type: 'string' },
    sample: { type: 'string', default: 'firing' },
    count: { type: 'string', default: '1' },
  });
  const sample = sampleNames.find((name) => name === values.sample);
  if (sample === undefined) {
    process.stderr.write(`--sample must be one of: ${sampleNames.join(', ')}\n`);
    return 2;
  }
  const count = Number(values.count);
  if (!(Number.isInteger(count) && count >= 1)) {
    process.stderr.write('--count must be a whole number of 1 or more\n');
    return 2;
  }
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (values.token !== undefined) headers['authorization'] = `Bearer ${values.token}`;
  for (let number = 1; number <= count; number += 1) {
    const refusal = await send(`${values.url.replace(/\/$/, '')}/webhook`, headers, {
      sample,
      number,
    });
    if (refusal !== null) {
      process.stderr.write(`${refusal}\n`);
      return 1;
    }
  }
  return 0;
}

/** Prints the links; the result says why there are none, null when there are. */
async function send(
  address: string,
  headers: Readonly<Record<string, string>>,
  { sample, number }: { readonly sample: SampleName; readonly number: number },
): Promise<string | null> {
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
