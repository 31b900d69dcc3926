import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Cleanup } from '../cleanup.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import {
  eventually, findProgram, freePort, runProgram, startProgram, type Program,
} from './programs.ts';

/** A real Prometheus that holds the given samples and scrapes nothing. */
export interface RunningPrometheus {
  readonly url: string;
  readonly program: Program;
  /** The number of series that a range query returns. */
  seriesOf(query: string, range: QueryRange): Promise<number>;
}

/** `from` and `to` in RFC 3339, `step` in seconds. */
export interface QueryRange {
  readonly from: string;
  readonly to: string;
  readonly step: number;
}

export interface PrometheusOptions {
  /** Lines of OpenMetrics with timestamps, in any order. */
  readonly samples: Iterable<string>;
  readonly rules?: readonly object[];
  readonly externalLabels?: Readonly<Record<string, string>>;
  /** `host:port` of an Alertmanager, and the only namespace whose alerts are sent to it. */
  readonly alertmanager?: { readonly target: string; readonly namespace: string };
}

export async function startPrometheus(
  cleanup: Cleanup,
  options: PrometheusOptions,
): Promise<RunningPrometheus> {
  const directory = temporaryDirectory();
  await writeBlocks(directory, options.samples);
  writeFileSync(join(directory, 'rules.yml'), JSON.stringify({
    groups: [{ name: 'cases', rules: options.rules ?? [] }],
  }));
  writeFileSync(join(directory, 'prometheus.yml'), JSON.stringify(configuration(options)));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const program = startProgram(findProgram('prometheus', 'prometheus'), [
    `--config.file=${join(directory, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(directory, 'data')}`,
    '--storage.tsdb.retention.time=10y',
    // Restores the state of alerts from ALERTS_FOR_STATE, even if their `for` is short.
    '--rules.alert.for-grace-period=1s',
    // Alerts sent before Prometheus discovered Alertmanager are soon sent again.
    '--rules.alert.resend-delay=1s',
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  cleanup.after(() => program.stop());
  const isReady = async (): Promise<true | null> =>
    (await fetch(`${url}/-/ready`)).status === 200 ? true : null;
  await eventually('Prometheus to be ready', isReady, { program });
  if ((options.rules ?? []).length > 0) await untilEvaluated(url, program);
  return { url, program, seriesOf: (query, range) => countSeries(url, query, range) };
}

/** Fills the folder `data` of the directory, as if Prometheus had scraped the samples itself. */
export async function writeBlocks(directory: string, samples: Iterable<string>): Promise<void> {
  const file = join(directory, 'samples.txt');
  await pipeline(Readable.from(inChunks(samples, ['# EOF'])), createWriteStream(file));
  const { status, output } = await runProgram(findProgram('promtool', 'prometheus'), [
    'tsdb', 'create-blocks-from', 'openmetrics', file, join(directory, 'data'),
  ]);
  if (status !== 0) throw new Error(`promtool makes no blocks: ${output.slice(-2000)}`);
}

const linesPerChunk = 2000;

/** Lines as chunks of text, as writing millions of lines one by one takes too long. */
export function* inChunks(
  lines: Iterable<string>,
  lastLines: readonly string[] = [],
): Generator<Buffer> {
  let chunk: string[] = [];
  for (const line of lines) {
    if (chunk.push(line) < linesPerChunk) continue;
    yield Buffer.from(`${chunk.join('\n')}\n`);
    chunk = [];
  }
  yield Buffer.from([...chunk, ...lastLines, ''].join('\n'));
}

function configuration({ alertmanager, externalLabels }: PrometheusOptions): object {
  return {
    global: {
      scrape_interval: '1m', evaluation_interval: '1s',
      ...(externalLabels !== undefined && { external_labels: externalLabels }),
    },
    rule_files: ['rules.yml'],
    ...(alertmanager !== undefined && {
      alerting: {
        alertmanagers: [{ static_configs: [{ targets: [alertmanager.target] }] }],
        alert_relabel_configs: [{
          source_labels: ['namespace'], regex: alertmanager.namespace, action: 'keep',
        }],
      },
    }),
  };
}

interface Answer<T> {
  readonly data: T;
}

interface EvaluatedRule {
  readonly evaluationTime: number;
  readonly alerts: readonly { readonly state: string }[];
}

/** Waits until all rules are evaluated and the state of their alerts is restored. */
async function untilEvaluated(url: string, program: Program): Promise<void> {
  await eventually('the rules to be evaluated', async () => {
    const response = await fetch(`${url}/api/v1/rules`);
    type Groups = { readonly groups: readonly { readonly rules: readonly EvaluatedRule[] }[] };
    const { data } = (await response.json()) as Answer<Groups>;
    const rules = data.groups.flatMap((group) => group.rules);
    const isDone = ({ evaluationTime, alerts }: EvaluatedRule): boolean =>
      evaluationTime > 0 && alerts.every(({ state }) => state === 'firing');
    return rules.every(isDone) ? true : null;
  }, { program });
}

/** The number of series that a range query returns, from any server with the Prometheus API. */
export async function countSeries(
  url: string,
  query: string,
  range: QueryRange,
): Promise<number> {
  const { from: start, to: end, step } = range;
  const response = await fetch(`${url}/api/v1/query_range`, {
    method: 'POST', body: new URLSearchParams({ query, start, end, step: String(step) }),
  });
  if (response.status !== 200) throw new Error(`${query}: ${await response.text()}`);
  const { data } = (await response.json()) as Answer<{ result: readonly unknown[] }>;
  return data.result.length;
}
