import type { NewEvidence } from '../../evidence/ledger.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { FormatError } from '../../lib/parse.ts';
import type { EvidenceItem } from '../../report/report.ts';
import { SourceFailure } from '../../sources/source-failure.ts';
import { askedTitle } from '../assertions/whose-words.ts';
import type { ToolCall, ToolSpec } from '../client/conversation.ts';
import { caseTools } from './case-tools.ts';
import { kubernetesTools } from './kubernetes-tools.ts';
import { landscapeTools } from './landscape-tools.ts';
import { lokiTools } from './loki-tools.ts';
import { prometheusTools } from './prometheus-tools.ts';
import { failed, ToolProblem, type Tool, type ToolContext, type ToolOutcome } from './tool.ts';

/** All tools, for metrics; which of them are offered depends on the sources. */
export const toolNames: readonly string[] = [
  'prom_instant', 'prom_range', 'prom_series', 'metric_names', 'label_values', 'dependencies',
  'alerts_and_rules', 'log_lines', 'log_counts', 'namespace_state', 'cluster_state',
  'earlier_episodes', 'active_alerts',
];

const toolTimeoutMs = 10_000;
const lateText = `no answer within ${toolTimeoutMs / 1000} s`;
const keyMax = 4096;

export interface ToolRun {
  readonly text: string;
  readonly isError: boolean;
  /** Id of the first evidence that was added; null for none. */
  readonly evidenceId: string | null;
  /** The tool does not exist, or its arguments are unusable. */
  readonly isMalformed: boolean;
}

/** The tools of one investigation, with the calls made so far. */
export class Toolbox {
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #context: ToolContext;
  /** Calls that were answered, with the id of their evidence, or null. */
  readonly #asked = new Map<string, string | null>();

  constructor(context: ToolContext) {
    const tools = [
      ...prometheusTools(context), ...landscapeTools(context), ...lokiTools(context),
      ...kubernetesTools(context), ...caseTools(context),
    ];
    this.#tools = new Map(tools.map((tool) => [tool.spec.name, tool]));
    this.#context = context;
  }

  get specs(): readonly ToolSpec[] {
    return [...this.#tools.values()].map(({ spec }) => spec);
  }

  /** End of the time that is investigated, wall time in milliseconds. */
  get now(): number {
    return this.#context.now;
  }

  /** The report's evidence, followed by what the tools have found. */
  get evidence(): readonly EvidenceItem[] {
    return this.#context.ledger.items;
  }

  /** Rejects only when the signal is aborted; any other failure is reported to the model. */
  async run(call: ToolCall, signal: AbortSignal): Promise<ToolRun> {
    const { clock, onUsed } = this.#context;
    const beganAt = clock.monotonic();
    const run = await this.#run(call, signal);
    const seconds = (clock.monotonic() - beganAt) / 1000;
    onUsed({ tool: call.name, seconds, isError: run.isError });
    return run;
  }

  async #run(call: ToolCall, signal: AbortSignal): Promise<ToolRun> {
    const tool = this.#tools.get(call.name);
    if (tool === undefined) {
      const names = [...this.#tools.keys()].join(', ');
      return malformed(`There is no such tool. The tools are ${names}.`);
    }
    if (call.argumentsError !== null) {
      return malformed(`${call.argumentsError}. ${schemaHint}`);
    }
    const key = `${call.name} ${canonical(call.arguments)}`.slice(0, keyMax);
    const earlier = this.#asked.get(key);
    if (earlier !== undefined) return repeated(earlier);
    const outcome = await this.#outcomeOf(tool, call, signal);
    if (outcome instanceof FormatError) return malformed(`${outcome.message}. ${schemaHint}`);
    const results = outcome.results.map(({ text, evidence }) => {
      const id = this.#add(evidence);
      return { id, text: id === null ? text : `${id}: ${text}` };
    });
    const evidenceId = results[0]?.id ?? null;
    this.#asked.set(key, evidenceId);
    const text = results.map((result) => result.text).join('\n');
    return { text, isError: outcome.isError, evidenceId, isMalformed: false };
  }

  async #outcomeOf(
    tool: Tool,
    call: ToolCall,
    signal: AbortSignal,
  ): Promise<ToolOutcome | FormatError> {
    const limits = { clock: this.#context.clock, ms: toolTimeoutMs, outer: signal };
    return withDeadline(limits, async (deadline) => {
      try {
        return await tool.run(call.arguments, deadline);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof FormatError) return error;
        if (error instanceof ToolProblem) return failed(`${error.message} Nothing was asked.`);
        if (deadline.aborted) return failed(failureText('timeout', lateText));
        if (error instanceof SourceFailure) return failed(failureText(error.reason, error.detail));
        return failed('The tool failed with an internal error. Do not repeat the call.');
      }
    });
  }

  #add(evidence: NewEvidence | null): string | null {
    const { ledger, mask } = this.#context;
    if (evidence === null || ledger.room <= 0) return null;
    const { role = 'asked_by_model', title, ...item } = mask(evidence);
    return ledger.add({ ...item, role, title: `${askedTitle}${title}` });
  }
}

const schemaHint = 'Send the arguments as the schema says.';
const hints: Readonly<Record<string, string>> = {
  bad_query: 'Correct the query.',
  timeout: 'Ask for less: a shorter range, fewer series.',
  too_large: 'Aggregate with sum by, or use topk.',
};

function failureText(reason: string, detail: string): string {
  const hint = hints[reason] ?? 'Do not repeat the call unchanged.';
  return `Error (${reason}): ${detail}. ${hint} This is missing data, not a finding.`;
}

function repeated(earlier: string | null): ToolRun {
  const where = earlier === null ? 'It brought no evidence' : `Its answer is ${earlier}`;
  const text = `This call was made before. ${where}. Ask something else, or conclude.`;
  return { text, isError: true, evidenceId: null, isMalformed: false };
}

function malformed(text: string): ToolRun {
  return { text, isError: true, evidenceId: null, isMalformed: true };
}

/** Equal for equal arguments, whatever their order; they are flat. */
function canonical(given: unknown): string {
  return JSON.stringify(Object.entries(given ?? {}).sort());
}
