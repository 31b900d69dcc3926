import { parseTime } from '../alert/timestamp.ts';
import { ownItemsMax } from '../evidence/collect-evidence.ts';
import type { Ledger } from '../evidence/ledger.ts';
import type { RuleReading } from '../evidence/rule/rule-expression.ts';
import {
  factNames, noFacts, sourceModules, type SourceFacts,
} from '../evidence/source-facts.ts';
import type { SourceAsking, SourceModule } from '../evidence/source-module.ts';
import type { SourceReport } from '../evidence/source-report.ts';
import { planTests } from '../knowledge/plan-tests.ts';
import type { Clock } from '../lib/clock.ts';
import type { CaseFile } from '../report/case-file.ts';
import { caseEndOf, caseStartOf } from '../report/new-report.ts';
import {
  askedSources, identities, type AskedSource, type Sources,
} from '../sources/asked-source.ts';

/** The first report should be there within three seconds, so slower answers are left out of it. */
const firstDeadlineMs = 2_500;
/** Alerts that come together wait for each other, and should have theirs within five. */
const togetherDeadlineMs = 4_000;
/** Nobody waits for a later report, or for that of an alert that has ended. */
const laterDeadlineMs = 5_000;
const momentMs = 15_000;

interface AskingContext {
  readonly sources: Sources;
  /** Secrets of the service, which evidence must not show. */
  readonly secrets: readonly string[];
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Wall time in milliseconds. */
  readonly now: number;
  readonly rule: RuleReading | null;
  readonly signal: AbortSignal;
  readonly onStep: (step: string) => void;
  /** Called when a bug in this service keeps it from reading a source's answers. */
  readonly onBroken: (source: AskedSource, error: unknown) => void;
}

type AskedFacts = SourceFacts & { readonly configured: ReadonlySet<AskedSource> };

/**
 * Queries all configured sources at once; none for an alert of a storm that has a representative.
 * Rejects only when the signal is aborted.
 */
export async function askSources(caseFile: CaseFile, context: AskingContext): Promise<AskedFacts> {
  const { ledger, now, rule, sources, onBroken, signal } = context;
  const representative = caseFile.storm?.representative ?? null;
  if (representative !== null) return skipSources(context, representative.name);
  const kept = factNames.map((name) => sourceModules[name].itemsMax);
  ledger.reserve(ownItemsMax + kept.reduce((sum, items) => sum + items, 0));
  const ended = new AbortController();
  const asking: Asking = {
    ...context, caseFile, sources, onBroken, moment: momentOf(now, caseFile),
    testsFor: (known, place) => planTests(caseFile.alert, rule?.expression ?? known, place),
    signal: AbortSignal.any([signal, ended.signal]),
    deadlineMs: deadlineOf(caseFile),
  };
  const answered = await Promise.all(factNames.map((name) => {
    const module: SourceModule<{ readonly source: SourceReport }> = sourceModules[name];
    return askUnlessBroken(module, asking);
  })).finally(() => ended.abort()); // Cancels queries that are late.
  ledger.reserve(0);
  // Added to the ledger when all have ended, so that the order of items is always the same.
  const facts = factNames.map((name, index) => [name, answered[index]?.() ?? null] as const);
  return { ...Object.fromEntries(facts) as SourceFacts, configured: configuredIn(sources) };
}

/** How long its sources may take, in ms. */
function deadlineOf(caseFile: CaseFile): number {
  const { attempts, group, openAlerts } = caseFile;
  if (attempts > 1 || caseEndOf(caseFile) !== null) return laterDeadlineMs;
  return group.listed > 1 || openAlerts.length > 0 ? togetherDeadlineMs : firstDeadlineMs;
}

const broken = 'could not be used: a bug in this service kept it from reading the answers.';

function configuredIn(sources: Sources): Set<AskedSource> {
  return new Set(askedSources.filter((name) => sources[name] !== null));
}

/**
 * Asks a source, if it is configured, and resolves to what adds its facts to the ledger. The alert
 * gets its report even if an answer breaks the code that reads it: then an item says so.
 */
async function askUnlessBroken<Facts extends { readonly source: SourceReport }>(
  { name, ask }: SourceModule<Facts>,
  asking: Asking,
): Promise<() => Facts | null> {
  const { sources, ledger, signal, onBroken } = asking;
  const source = sources[name];
  if (source === null) return () => null;
  const addBroken = (): null => {
    addSource(ledger, name, { state: 'failed', what: broken });
    return null;
  };
  try {
    const add = await ask(source, asking);
    return () => {
      const before = ledger.items.length;
      try {
        return add();
      } catch (error) {
        onBroken(name, error);
        ledger.takeBack(before);
        return addBroken();
      }
    };
  } catch (error) {
    if (signal.aborted) throw error;
    onBroken(name, error);
    return addBroken;
  }
}

/** Adds an item for each configured source, saying why it was not asked. */
function skipSources({ sources, ledger }: AskingContext, representative: string): AskedFacts {
  const configured = configuredIn(sources);
  const what = 'was not asked: in an alert storm, evidence is collected for a few alerts only. ' +
    `See the report of ${representative}, or have this alert analysed again.`;
  for (const source of configured) addSource(ledger, source, { state: 'empty', what });
  return { ...noFacts, configured };
}

function addSource(
  ledger: Ledger,
  source: AskedSource,
  { state, what }: { readonly state: 'empty' | 'failed'; readonly what: string },
): void {
  const { title } = identities[source];
  ledger.add({ kind: 'source', source, title, state, summary: `${title} ${what}` });
}

type Asking = SourceAsking & Pick<AskingContext, 'sources' | 'onBroken'>;

/**
 * Rounds the time down, so that alerts of one group ask as of the same time and share answers, even
 * if their turns are some seconds apart; but not to before the alert began or ended, when its value
 * was another. Then it is the time of the notification, or of another open alert's shortly before
 * it: at the very beginning, another server of a pair may not have seen it yet.
 */
function momentOf(now: number, caseFile: CaseFile): number {
  const receivedMs = parseTime(caseFile.receivedAt) ?? now;
  const isFresh = receivedMs <= now && now - receivedMs < momentMs;
  const lastMs = isFresh ? receivedMs : now;
  const rounded = Math.floor(lastMs / momentMs) * momentMs;
  const changedMs = caseEndOf(caseFile) ?? caseStartOf(caseFile);
  if (rounded >= changedMs) return rounded;
  const shared = caseFile.openAlerts.map(({ receivedAt }) => parseTime(receivedAt ?? '') ?? lastMs)
    .filter((ms) => ms >= Math.max(changedMs, lastMs - momentMs) && ms < lastMs);
  return Math.min(now, ...shared, Math.max(changedMs, receivedMs));
}
