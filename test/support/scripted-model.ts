import type { Finding, ModelAnswer } from '../../src/model/answer/answer-schema.ts';
import type { Model, ModelReply, ModelRequest } from '../../src/model/client/conversation.ts';
import type { ToolSources } from '../../src/model/tools/tool.ts';
import { prometheusIdentity } from '../../src/sources/prometheus.ts';
import type { AskableSource } from '../../src/sources/source-client.ts';

export type Line = Partial<ModelReply> | Error | ((request: ModelRequest) => Partial<ModelReply>);

export interface ScriptedModel extends Model {
  readonly requests: ModelRequest[];
}

/** A model that answers with one line after another, and repeats the last. */
export function scriptedModel(lines: readonly Line[]): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    requests,
    ask(request) {
      requests.push({ ...request, turns: [...request.turns] });
      const line = lines[Math.min(requests.length, lines.length) - 1] ?? {};
      if (line instanceof Error) return Promise.reject(line);
      const said = typeof line === 'function' ? line(request) : line;
      return Promise.resolve({
        text: '', calls: [], stop: (said.calls?.length ?? 0) > 0 ? 'tools' : 'end',
        usage: { input: 1000, cached: 0, output: 100 }, model: 'scripted-1', own: null,
        ...said,
      });
    },
  };
}

let calls = 0;

export function calling(name: string, given: unknown): ModelReply['calls'][number] {
  calls += 1;
  return { id: `call_${calls}`, name, arguments: given, argumentsError: null };
}

/** One round of tool calls with these instant queries. */
export function asking(...queries: readonly string[]): Partial<ModelReply> {
  return { calls: queries.map((query) => calling('prom_instant', { query, minutes_ago: null })) };
}

export function anAnswer(over: Partial<ModelAnswer> = {}): ModelAnswer {
  return {
    findings: [], reading: 'Something is up.', missing: [], suspicious_content: null,
    verdict: 'probable', culprits: [], own_cause: null, next_steps: [], ...over,
  };
}

export function aFinding(over: Partial<Finding> = {}): Finding {
  return {
    about: null, weight: 'context', is: 'value', a: null, b: null, rel: null, quote: null,
    reading: '', ...over,
  };
}

export function concluding(over: Partial<ModelAnswer> = {}): Partial<ModelReply> {
  return { text: JSON.stringify(anAnswer(over)) };
}

export const noSources: ToolSources = { prometheus: null, loki: null, kubernetes: null };

/** A Prometheus in memory; `answer` makes the data of each answer from the path and the query. */
export function cannedPrometheus(
  answer: (path: string, query: string) => unknown,
): AskableSource & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    timeoutMs: 5_000,
    identity: prometheusIdentity,
    ask: async ({ path, parameters = [] }, read) => {
      const [, query = ''] = parameters.find(([name]) => /^(query|match\[\])$/.test(name)) ?? [];
      asked.push(`${path} ${query}`.trim());
      const data = await answer(path, query);
      return read(Buffer.from(JSON.stringify({ status: 'success', data })));
    },
  };
}

export function vectorOf(value: number): object {
  const metric = { __name__: 'up', job: 'api' };
  return { resultType: 'vector', result: [{ metric, value: [1_795_000_000, String(value)] }] };
}
