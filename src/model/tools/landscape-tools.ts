import { namespaceOf } from '../../evidence/named-in-labels.ts';
import { FormatError } from '../../lib/parse.ts';
import { counted } from '../../report/plain-text.ts';
import { isoTime } from '../../report/time-text.ts';
import { createPrometheus, type Prometheus } from '../../sources/prometheus.ts';
import type { InstantAnswer } from '../../sources/prometheus-answers.ts';
import { quoteText } from '../../sources/promql-text.ts';
import { orNull, textArgument, type Argument } from './argument.ts';
import { knownName } from './known-name.ts';
import { cutResult } from './result-text.ts';
import {
  createTool, found, ToolProblem, type Tool, type ToolContext, type ToolOutcome,
} from './tool.ts';

const listedMax = 300;
const nameMax = 200;
const narrowHint = 'Ask for names that contain a text.';

/**
 * Tools that tell what there is to query: metrics, values of labels, who calls whom, rules. Code
 * builds their queries, within one namespace.
 */
export function landscapeTools(context: ToolContext): Tool[] {
  const { prometheus } = context.sources;
  if (prometheus === null) return [];
  const open = (signal: AbortSignal): Prometheus => createPrometheus(prometheus, signal);
  const namespace = orNull(knownName(context, "A namespace from the evidence; null: the alert's."));
  const place = (given: string | null): string => {
    const { labels } = context.caseFile.alert;
    const named = given ?? namespaceOf(labels);
    const { job } = labels;
    if (named !== null) return `namespace=${quoteText(named)}`;
    if (job !== undefined) return `job=${quoteText(job)}`;
    throw new ToolProblem('The alert names neither a namespace nor a job.');
  };
  const ask = async (query: string, what: string, signal: AbortSignal): Promise<Asked> =>
    ({ query, what, answer: await open(signal).query(query, context.now), now: context.now });
  return [
    createTool({
      name: 'metric_names',
      description: 'Names of the metrics of a namespace, with how many series each has.',
      takes: { namespace, containing: orNull(textArgument(80, 'Part of the name; null: all.')) },
    }, async ({ namespace: given, containing }, signal) => {
      const query = `count by (__name__) ({${place(given)}})`;
      const asked = await ask(query, 'Metrics', signal);
      return listed(asked, 'metrics', ({ labels: { __name__: name = '' } }) =>
        name.includes(containing ?? '') ? { name } : null);
    }),
    createTool({
      name: 'label_values',
      description: 'The values that a label of a metric has, with how many series each has.',
      takes: { metric: nameArgument('Name of a metric.'), label: nameArgument('A label.') },
    }, async ({ metric, label }, signal) => {
      const asked = await ask(`count by (${label}) (${metric})`, 'Values of a label', signal);
      return listed(asked, 'values', ({ labels }) => ({ name: labels[label] ?? '' }));
    }),
    createTool({
      name: 'dependencies',
      description: 'Who calls whom in a namespace, as far as metrics of clients, meshes and ' +
        'traces tell.',
      takes: { namespace },
    }, async ({ namespace: given }, signal) => {
      const matchers = `__name__=~${quoteText(calling)}, ${place(given)}`;
      const query = `count by (${[...callers, ...called].join(', ')}) ({${matchers}})`;
      const asked = await ask(query, 'Calls', signal);
      return listed(asked, 'calls', ({ labels }) => {
        const [from, to] = [callers, called].map((names) =>
          names.map((name) => labels[name] ?? '').find((value) => value !== ''));
        return from === undefined || to === undefined || from === to ? null : { from, to };
      });
    }),
    createTool({
      name: 'alerts_and_rules',
      description: 'Alerts that Prometheus has as pending or firing in a namespace, and the rule ' +
        'of one of them.',
      takes: {
        namespace,
        rule: orNull(knownName(context, 'Name of an alerting rule from the evidence, or null.')),
      },
    }, async ({ namespace: given, rule }, signal) => {
      const query = `count by (alertname, alertstate) (ALERTS{${place(given)}})`;
      const asked = await ask(query, 'Alerts in Prometheus', signal);
      const rules = rule === null ? [] : await open(signal).rules(rule);
      const rows = rules.map(({ name, query: expression, durationSeconds }) =>
        ({ name, expression, for_seconds: durationSeconds }));
      return listed(asked, 'alerts', ({ labels }) =>
        ({ name: labels['alertname'] ?? '', state: labels['alertstate'] ?? '' }), rows);
    }),
  ];
}

/** Counters of calls, by the usual names. */
const calling = '.*(_client_.*|_outgoing_.*|upstream_.*|istio_requests|service_graph_request)' +
  '.*(_count|_total)';
const callers = ['client', 'source_workload', 'service', 'app', 'job'];
const called = [
  'server', 'destination_workload', 'destination_service_name', 'peer', 'peer_service', 'upstream',
  'upstream_cluster', 'server_address', 'host', 'db_system',
];

interface Asked {
  readonly query: string;
  readonly what: string;
  readonly answer: InstantAnswer;
  readonly now: number;
}

/** One entry for each sample that is one, most series first. */
function listed(
  { query, what, answer: { samples, omitted }, now }: Asked,
  member: string,
  entryOf: (sample: InstantAnswer['samples'][number]) => Readonly<Record<string, string>> | null,
  rules: readonly object[] = [],
): ToolOutcome {
  const entries = [...samples].sort((a, b) => b.value - a.value).flatMap((sample) => {
    const entry = entryOf(sample);
    return entry === null ? [] : [{ ...entry, series: sample.value }];
  });
  const isEmpty = entries.length === 0 && rules.length === 0;
  const shown = entries.slice(0, listedMax);
  const count = `${counted(entries.length, 'line')} found`;
  const lines = [...shown, ...rules].map((entry) => Object.values(entry).join(' '));
  const text = isEmpty ? 'Nothing came back. That is missing data, not a finding.'
    : cutResult([count, ...lines].join('\n'), narrowHint);
  return found(text, {
    kind: 'series', source: 'prometheus', title: what, query,
    from: isoTime(now), to: isoTime(now), state: isEmpty ? 'empty' : 'ok',
    summary: isEmpty ? 'Nothing came back.' : `${count}: ${lines.slice(0, 10).join(', ')}`,
    data: { [member]: shown, rules }, truncated: omitted > 0 || entries.length > listedMax,
  });
}

/** A name that needs no quotes in PromQL. */
function nameArgument(description: string): Argument<string> {
  const { schema, read } = textArgument(nameMax, description);
  return {
    schema,
    read(value, path) {
      const name = read(value, path);
      if (!/^[a-zA-Z_:][\w:]*$/u.test(name)) throw new FormatError(path, 'a name', value);
      return name;
    },
  };
}
