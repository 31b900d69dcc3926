/**
 * Runs every invented incident through a service of its own, without a model and with fake models
 * that behave well or badly, and prints the results. Exits with 1 when a false claim is left
 * unmarked or a host is contacted that is not configured.
 *
 *   npm run build && npx tsx scripts/evaluate.ts [--scenario deploy] [--model liar] [--verbose]
 *       [--feedback DATA_DIR]
 *
 * Time passes at a tenth of its speed for these services, so that a busy machine does not change
 * reports. Deadlines and pauses between retries take ten times as long as usual.
 *
 * With MODEL_PROVIDER, MODEL_NAME and so on in the environment, that model is asked instead, and
 * how often it names the culprit first is printed, with tokens, cost and seconds. With --feedback,
 * it is asked about the reports of a service's data directory whose cause people told in feedback.
 */
import type { Report } from '../src/report/report.ts';
import { corpus } from '../test/scenarios/corpus.ts';
import { playedModels } from '../test/scenarios/played-models.ts';
import { runScenarios, type RunOutcome } from '../test/scenarios/run-scenarios.ts';
import type { Plot } from '../test/scenarios/scenario.ts';
import { withCleanup } from '../test/support/cleanup.ts';
import {
  askAbout, namesFirstChange, namesFirstCulprit, readOwnIncidents,
} from './model/own-incidents.ts';
import { scriptOptions } from './script-options.ts';

const isReal = process.env['MODEL_PROVIDER'] !== undefined;
const allModels = ['none', ...(isReal ? ['real'] : Object.keys(playedModels))];
const nameOf = (plot: Plot): string => plot(Date.now()).name;

const options = scriptOptions(import.meta.url, {
  scenario: { type: 'string', oneOf: corpus.map(nameOf) },
  model: { type: 'string', oneOf: allModels },
  verbose: { type: 'boolean', default: false },
  feedback: { type: 'string' },
});

if (options.feedback !== undefined) {
  await evaluateOwn(options.feedback);
  process.exit();
}

const runsAtOnce = 3;

const modelVariables = Object.entries(process.env).flatMap(([name, value]) => {
  return name.startsWith('MODEL_') && value !== undefined ? [[name, value] as const] : [];
});
const models = allModels.filter((name) => name === (options.model ?? name));
const plots = corpus.filter((plot) => nameOf(plot) === (options.scenario ?? nameOf(plot)));

/** Each incident through a service of its own, a few at a time, in the order of the corpus. */
async function runAll(name: string): Promise<RunOutcome[]> {
  const settings = name === 'real' ? Object.fromEntries(modelVariables) : {};
  const outcomes: RunOutcome[] = [];
  for (let first = 0; first < plots.length; first += runsAtOnce) {
    const ran = plots.slice(first, first + runsAtOnce).map((plot) => {
      const run = { plot, model: playedModels[name]?.() ?? null };
      return withCleanup((cleanup) => runScenarios(cleanup, [run], settings));
    });
    outcomes.push(...(await Promise.all(ran)).flat());
  }
  return outcomes;
}

const columns = [14, 16, 8, 7, 8, 7, 7, 7, 8, 7];

function printRow(cells: readonly string[]): void {
  console.log(cells.map((cell, index) => {
    return index < 2 ? cell.padEnd(columns[index] ?? 0) : cell.padStart(columns[index] ?? 0);
  }).join(''));
}

function printOutcome(model: string, outcome: RunOutcome): void {
  const { report: { narrative } } = outcome;
  const claims = narrative.state === 'present' ? narrative.claims : [];
  const { made, held_at_first: held } = assertedIn(outcome.report);
  printRow([
    model, outcome.scenario.name, outcome.isVerdictRight ? 'right' : 'WRONG',
    outcome.isCauseNamed ? 'yes' : 'NO',
    narrative.state === 'present' ? `${held}/${made}` : narrative.reason.slice(0, 7),
    String(outcome.falseClaims.length), String(outcome.strangers.length), String(outcome.tokens),
    outcome.readySeconds.toFixed(2), outcome.seconds.toFixed(2),
  ]);
  if (options.verbose && narrative.state === 'absent') console.log(' ', narrative.detail);
  for (const claim of outcome.falseClaims) console.log('  false:', claim);
  for (const address of outcome.strangers) console.log('  contacted:', address);
  for (const refusal of outcome.refusals) console.log('  refused:', refusal);
  if (!options.verbose) return;
  for (const { text } of claims) console.log('  +', text);
}

function assertedIn({ narrative }: Report): { made: number; held_at_first: number; held: number } {
  return (narrative.state === 'present' ? narrative.asserted : undefined)
    ?? { made: 0, held_at_first: 0, held: 0 };
}

function sumOf(outcomes: readonly RunOutcome[], of: (outcome: RunOutcome) => number): number {
  return outcomes.reduce((sum, outcome) => sum + of(outcome), 0);
}

printRow([
  'model', 'scenario', 'verdict', 'cause', 'held', 'false', 'hosts', 'tokens', 'ready s', 's',
]);
const all: RunOutcome[] = [];
for (const name of models) {
  const outcomes = await runAll(name);
  for (const outcome of outcomes) printOutcome(name, outcome);
  all.push(...outcomes);
}
const falseClaims = sumOf(all, ({ falseClaims: claims }) => claims.length);
const strangers = sumOf(all, ({ strangers: hosts }) => hosts.length);
const right = sumOf(all, ({ isVerdictRight }) => Number(isVerdictRight));
const ready = sumOf(all, ({ readySeconds }) => readySeconds) / all.length;
console.log(`\n${all.length} runs: verdict right in ${right}, ` +
  `cause right in ${sumOf(all, (each) => Number(each.isCauseNamed))}, ` +
  `unmarked false claims ${falseClaims}, unconfigured hosts contacted ${strangers}, ` +
  `${sumOf(all, ({ tokens }) => tokens)} tokens, ` +
  `${ready.toFixed(2)} s to a report on average`);
if (isReal) printCulprits();
process.exitCode = falseClaims + strangers > 0 ? 1 : 0;

/** How often the first that is blamed is one of the causes, of the incidents that have one. */
function printCulprits(): void {
  const isWithout = ({ report: { narrative } }: RunOutcome): boolean =>
    narrative.state === 'absent' && narrative.reason === 'not_configured';
  const caused = all.filter(({ scenario: { expected } }) => expected.causes !== null);
  const [without, withModel] = [true, false].map((side) =>
    caused.filter((outcome) => isWithout(outcome) === side));
  const isCause = ({ scenario: { expected } }: RunOutcome, blamed: string | null): boolean =>
    blamed !== null && (expected.causes ?? []).some((cause) => cause.test(blamed));
  const first = (
    outcomes: readonly RunOutcome[] = [],
    blamedBy: (outcome: RunOutcome) => string | null,
  ): string => {
    const count = outcomes.filter((outcome) => isCause(outcome, blamedBy(outcome))).length;
    return `${count} of ${outcomes.length}`;
  };
  const told = (outcome: RunOutcome): string | null => {
    const { narrative } = outcome.report;
    return narrative.state === 'present' ? narrative.culprits?.[0]?.component ?? null : null;
  };
  const byCode = first(without, ({ report }) => report.verdict.most_likely);
  console.log(`Culprit named first: without the model ${byCode}, by it ${first(withModel, told)}`);
  printAssertions(all.filter((outcome) => !isWithout(outcome)).map(({ report }) => report));
}

function printAssertions(reports: readonly Report[]): void {
  const asserted = reports.map(assertedIn);
  const sum = (name: 'made' | 'held_at_first'): number =>
    asserted.reduce((total, each) => total + each[name], 0);
  const narratives = reports.map(({ narrative }) => narrative)
    .filter((narrative) => narrative.state === 'present');
  const tokens = narratives.reduce((total, each) => total + each.tokens, 0);
  const cost = narratives.reduce((total, each) => total + (each.cost ?? 0), 0);
  const seconds = narratives.reduce((total, each) => total + each.duration_ms, 0) / 1000;
  console.log(`Assertions that held at first: ${sum('held_at_first')} of ${sum('made')}; ` +
    `${narratives.length} of ${reports.length} have a narrative; ${tokens} tokens, ` +
    `cost ${cost.toFixed(2)}, ${(seconds / Math.max(1, narratives.length)).toFixed(1)} s each`);
}

async function evaluateOwn(dataDirectory: string): Promise<void> {
  const incidents = await readOwnIncidents(dataDirectory);
  console.log(`${incidents.length} reports with a cause that people told.`);
  const judged = await askAbout(incidents);
  for (const each of judged) {
    const [before, after] = [namesFirstChange(each), namesFirstCulprit(each)];
    console.log(`${each.name}: ${each.cause.slice(0, 80)} | ${before ? 'right' : '-'} without, ` +
      `${after ? 'right' : '-'} with the model, ${each.seconds.toFixed(1)} s`);
  }
  const count = (is: typeof namesFirstChange): number => judged.filter(is).length;
  console.log(`Culprit named first: without the model ${count(namesFirstChange)} of ` +
    `${judged.length}, by the model ${count(namesFirstCulprit)}`);
  printAssertions(judged.map(({ after }) => after));
}
