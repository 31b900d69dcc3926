import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Cleanup } from '../cleanup.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { eventually, findProgram, freePort, startProgram, type Program } from './programs.ts';
import { countSeries, inChunks, type RunningPrometheus } from './running-prometheus.ts';

export interface VictoriaMetricsOptions {
  /** Lines of OpenMetrics with timestamps. */
  readonly samples: Iterable<string>;
  /** Prefix of all paths, as behind a proxy: "/select/0". */
  readonly pathPrefix: string;
  /** Address of the vmalert whose rules it serves as its own; without one it has none. */
  readonly vmalert?: string;
}

/** A real VictoriaMetrics that holds the given samples, queried like a Prometheus. */
export async function startVictoriaMetrics(
  cleanup: Cleanup,
  { samples, pathPrefix, vmalert }: VictoriaMetricsOptions,
): Promise<RunningPrometheus> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}${pathPrefix}`;
  const program = startProgram(findProgram('victoria-metrics', 'victoria-metrics'), [
    `-storageDataPath=${temporaryDirectory()}`,
    `-httpListenAddr=127.0.0.1:${port}`, `-http.pathPrefix=${pathPrefix}`,
    '-retentionPeriod=10y', ...(vmalert === undefined ? [] : [`-vmalert.proxyURL=${vmalert}`]),
  ]);
  cleanup.after(() => program.stop());
  const isReady = async (): Promise<true | null> =>
    (await fetch(`${url}/health`)).status === 200 ? true : null;
  await eventually('VictoriaMetrics to be ready', isReady, { program });
  await fill(url, samples);
  return { url, program, seriesOf: (query, range) => countSeries(url, query, range) };
}

/** Imports the samples and flushes them; otherwise they would not be visible for some seconds. */
async function fill(url: string, samples: Iterable<string>): Promise<void> {
  const answers = [
    await fetch(`${url}/api/v1/import/prometheus`, {
      method: 'POST', duplex: 'half',
      body: Readable.toWeb(Readable.from(inChunks(inMilliseconds(samples)))),
    }),
    await fetch(`${url}/internal/force_flush`),
  ];
  for (const { status, url: asked } of answers) {
    if (status > 299) throw new Error(`VictoriaMetrics answered ${status} at ${asked}`);
  }
}

/** Converts OpenMetrics timestamps, in seconds, to those of the text format, in milliseconds. */
function* inMilliseconds(samples: Iterable<string>): Generator<string> {
  for (const line of samples) {
    const at = line.lastIndexOf(' ') + 1;
    yield `${line.slice(0, at)}${Math.round(Number(line.slice(at)) * 1000)}`;
  }
}

export interface VmalertOptions {
  readonly port: number;
  /** Address of the VictoriaMetrics it queries, and writes its results to. */
  readonly metrics: string;
  readonly alertmanager: string;
  readonly rules: readonly object[];
}

/** A real vmalert that evaluates the rules every second. */
export function startVmalert(cleanup: Cleanup, options: VmalertOptions): Program {
  const file = join(temporaryDirectory(), 'rules.yml');
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'shop', rules: options.rules }] }));
  const program = startProgram(findProgram('vmalert', 'victoria-metrics'), [
    `-rule=${file}`, '-evaluationInterval=1s', `-httpListenAddr=127.0.0.1:${options.port}`,
    `-datasource.url=${options.metrics}`, `-remoteWrite.url=${options.metrics}`,
    '-remoteWrite.flushInterval=200ms', `-notifier.url=${options.alertmanager}`,
  ]);
  cleanup.after(() => program.stop());
  return program;
}
