import type { LabelSet } from '../alert/labels.ts';
import { closestTo, namesOf } from '../evidence/metrics/matching-labels.ts';
import { alertSelector } from '../evidence/metrics/own/fired.ts';
import type { Clock } from '../lib/clock.ts';
import { Limiter } from '../lib/limiter.ts';
import type { Random } from '../lib/random.ts';
import { AnswerCache } from '../sources/answer-cache.ts';
import {
  askedSources, bySource, identities, type AskedSource, type SourceAccesses, type Sources,
} from '../sources/asked-source.ts';
import { FittingServers } from '../sources/fitting-servers.ts';
import { createPrometheus, type Prometheus } from '../sources/prometheus.ts';
import { bareSecretsOf, type SourceAccess } from '../sources/source-access.ts';
import { SourceClient, type AskableSource, type RequestOutcome } from '../sources/source-client.ts';

export function sourceSecrets(accesses: SourceAccesses): string[] {
  return askedSources.flatMap((source) => {
    const access = accesses[source];
    return access === null ? [] : bareSecretsOf(access);
  });
}

interface OpenSourcesOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Most concurrent queries of this thread to one source. */
  readonly atOnce: number;
  /** Limit of one answer; default 16 MiB. */
  readonly answerBytesMax?: number;
  readonly onAsked: (source: AskedSource, outcome: RequestOutcome) => void;
}

/** How far back an alert is looked for: it may have ended, or be late. */
const seenMinutes = 15;

/** Most queries that may wait for their turn at one source; further ones are refused. */
const waitingMax = 500;

/** For the labels of an alert, its sources: of several Prometheus, those that may have sent it. */
export type SourcesFor = (labels: LabelSet) => Promise<Sources>;

/** Opens a client for each configured source, behind a cache and a gate that all alerts share. */
export function openSources(accesses: SourceAccesses, options: OpenSourcesOptions): SourcesFor {
  const { clock, random, atOnce, answerBytesMax, onAsked } = options;
  const open = (source: AskedSource, access: SourceAccess | null): AskableSource | null =>
    access && new AnswerCache(new SourceClient(identities[source], access, {
      clock, random, onOutcome: (outcome) => onAsked(source, outcome),
      ...(answerBytesMax !== undefined && { answerBytesMax }),
    }), { clock, gate: new Limiter(atOnce, waitingMax) });
  const sources = bySource((source) => open(source, accesses[source]));
  const { prometheus } = accesses;
  if (prometheus === null || prometheus.urls.length === 1) {
    return () => Promise.resolve(sources);
  }
  const alone = eachAlone(prometheus, options);
  const servers = new FittingServers(prometheus.urls, {
    clock,
    ask: (url, signal) => alone(url, signal).externalLabels(),
    seen: async (url, alert, signal) => {
      const selector = alertSelector('ALERTS', alert);
      if (selector === null) return 0;
      const query = `count_over_time(${selector}[${seenMinutes}m])`;
      const { samples } = await alone(url, signal).query(query, clock.now());
      const closest = closestTo(samples, alert);
      return closest === null ? 0 : namesOf(closest.labels).length;
    },
  });
  const opened = new Map([[prometheus.urls.join(' '), sources.prometheus]]);
  return async (labels) => {
    const urls = await servers.of(labels);
    const key = urls.join(' ');
    const own = opened.get(key) ?? open('prometheus', { ...prometheus, urls });
    opened.set(key, own);
    return { ...sources, prometheus: own };
  };
}

/**
 * Each server by its URL, for the choice among them. Not reported as asked: a server that does not
 * answer this may have all the evidence.
 */
function eachAlone(
  access: SourceAccess,
  { clock, random, atOnce }: OpenSourcesOptions,
): (url: string, signal: AbortSignal) => Prometheus {
  const servers = new Map(access.urls.map((url) => {
    const client = new SourceClient(identities.prometheus, { ...access, urls: [url] }, {
      clock, random,
    });
    return [url, { client, gate: new Limiter(atOnce, waitingMax) }];
  }));
  return (url, signal) => {
    const server = servers.get(url);
    if (server === undefined) throw new Error('Not one of the servers');
    const { client, gate } = server;
    return createPrometheus({
      identity: client.identity, timeoutMs: client.timeoutMs,
      ask: (request, read) => gate.run(() => client.ask(request, read), signal),
    }, signal);
  };
}
