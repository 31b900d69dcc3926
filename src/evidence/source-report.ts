import { groupBy } from '../lib/group-by.ts';
import { memberOf } from '../lib/parse.ts';
import { counted } from '../report/plain-text.ts';
import type { Report, SourceState } from '../report/report.ts';
import { identities, type AskedSource } from '../sources/asked-source.ts';
import type { Asked, Failure } from './ask-within.ts';
import type { AddItem, Ledger } from './ledger.ts';

export interface SourceReport {
  /** `ok` even if a part failed; `failed` if nothing was answered, `empty` if nothing was asked. */
  readonly state: SourceState;
  readonly durationMs: number;
  readonly queries: number;
  /** The item that says so. */
  readonly evidence: string;
  readonly failures: readonly SourceFault[];
  /** Whether asking again in a few minutes may fill some of the gaps. */
  readonly mayAnswerLater: boolean;
}

/** A part that is missing, with the reason and what an operator can do about it. */
export interface SourceFault {
  /** "The alert's own series", "Series around the alert" … */
  readonly what: string;
  readonly why: string;
  readonly hint: string;
}

/** Where the answers of a source are written down. */
export interface CollectContext {
  readonly ledger: Ledger;
  readonly now: number;
  readonly queries: number;
  /** Masked wherever they stand, like anything that looks like a secret. */
  readonly secrets: readonly string[];
}

/** Why a source shows nothing of an alert, though it answers. */
export type Nothing = Omit<SourceFault, 'what'>;

interface Reported extends Asked {
  readonly queries: number;
  /** Set if the source has nothing of the alert's objects, or there was nothing to ask about. */
  readonly nothing?: Nothing | null;
}

export function addSourceReport(
  add: AddItem,
  source: AskedSource,
  { questions, durationMs, queries, nothing = null }: Reported,
): SourceReport {
  const { title } = identities[source];
  const failed = questions.flatMap(({ what, failure }) =>
    failure === null ? [] : [{ what, ...failure }]);
  const [first] = failed;
  const isFailed = first !== undefined && failed.length === questions.length;
  const answered = `${title} answered ${questions.length - failed.length} of ` +
    `${counted(questions.length, 'question')}.`;
  const cannot = (why: string): string => `Cannot read from ${title}: ${why}.`;
  const state = questions.length === 0 ? 'empty' : isFailed ? 'failed' : 'ok';
  const evidence = add({
    kind: 'source', title, state,
    summary: questions.length === 0 && nothing !== null ? nothing.why
      : `${answered}${first === undefined ? '' : ` ${first.hint}`}`,
    error: isFailed ? cannot(first.why) : null,
    warnings: isFailed ? [] : [...new Set(failed.map(({ what, why }) => `${what}: ${why}.`))],
  });
  // One fault for all failures with the same hint: what an operator does about them is the same.
  const failures = Array.from(groupBy(failed, ({ hint }) => hint), ([hint, alike]) => {
    const what = [...new Set(alike.map((each) => each.what))].join('; ');
    return { what, why: cannot([...new Set(alike.map(({ why }) => why))].join('; ')), hint };
  });
  const what = identities[source].provides;
  return {
    state, durationMs, queries, evidence,
    failures: isFailed ? [{ what, why: cannot(first.why), hint: first.hint }]
      : first === undefined && nothing !== null ? [{ what, ...nothing }] : failures,
    mayAnswerLater: failed.some(({ mayPass }) => mayPass),
  };
}

/** The same for a source that cannot have sent the alert, so that none of its answers is used. */
export function addOtherServer(
  add: AddItem,
  source: AskedSource,
  { durationMs, queries }: Pick<Reported, 'durationMs' | 'queries'>,
  { why, hint, mayPass }: Failure,
): SourceReport {
  const { title } = identities[source];
  const evidence = add({
    kind: 'source', title, state: 'failed', error: why, data: { other_server: true },
    summary: `${title} answered, but nothing of that is used.`,
  });
  const failures = [{ what: identities[source].provides, why, hint }];
  return { state: 'failed', durationMs, queries, evidence, failures, mayAnswerLater: mayPass };
}

/** Whether the source that was asked for the report cannot have sent its alert. */
export function isOfOtherServer({ evidence }: Pick<Report, 'evidence'>, of: AskedSource): boolean {
  return evidence.some(({ kind, source, data }) =>
    kind === 'source' && source === of && memberOf(data, 'other_server') === true);
}
