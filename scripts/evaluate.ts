/**
 * Runs every invented incident through a service of its own, without a model and with fake models
 * that behave well or badly, and prints the results. Exits with 1 when a false claim is left
 * unmarked or a host is contacted that is not configured.
 *
 *   npm run build && npx tsx scripts/evaluate.ts [--scenario deploy] [--model liar] [--verbose]
 *
 * Time passes at a tenth of its speed for these services, so that a busy machine does not change
 * reports. Deadlines and pauses between retries take ten times as long as usual.
 *
 * With MODEL_PROVIDER, MODEL_NAME and so on in the environment, that model is asked instead.
 */
import { corpus } from '../test/scenarios/corpus.ts';
import { playedModels } from '../test/scenarios/played-models.ts';
import { runScenarios, type RunOutcome } from '../test/scenarios/run-scenarios.ts';
import type { Plot } from '../test/scenarios/scenario.ts';
import { withCleanup } from '../test/support/cleanup.ts';
import { scriptOptions } from './script-options.ts';

const isReal = process.env['MODEL_PROVIDER'] !== undefined;
const allModels = ['none', ...(isReal ? ['real'] : Object.keys(playedModels))];
const nameOf = (plot: Plot): string => plot(Date.now()).name;

const options = scriptOptions(import.meta.url, {
  scenario: { type: 'string', oneOf: corpus.map(nameOf) },
  model: { type: 'string', oneOf: allModels },
  verbose: { type: 'boolean', default: false },
});

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
  const verified = claims.filter((claim) => claim.verified).length;
  printRow([
    model, outcome.scenario.name, outcome.isVerdictRight ? 'right' : 'WRONG',
    outcome.isCauseNamed ? 'yes' : 'NO',
    narrative.state === 'present' ? `${verified}/${claims.length}` : narrative.reason.slice(0, 7),
    String(outcome.falseClaims.length), String(outcome.strangers.length), String(outcome.tokens),
    outcome.readySeconds.toFixed(2), outcome.seconds.toFixed(2),
  ]);
  if (options.verbose && narrative.state === 'absent') console.log(' ', narrative.detail);
  for (const claim of outcome.falseClaims) console.log('  false:', claim);
  for (const address of outcome.strangers) console.log('  contacted:', address);
  for (const refusal of outcome.refusals) console.log('  refused:', refusal);
  if (!options.verbose) return;
  for (const { text, verified: isProven } of claims) console.log(isProven ? '  +' : '  -', text);
}

function sumOf(outcomes: readonly RunOutcome[], of: (outcome: RunOutcome) => number): number {
  return outcomes.reduce((sum, outcome) => sum + of(outcome), 0);
}

printRow([
  'model', 'scenario', 'verdict', 'cause', 'proven', 'false', 'hosts', 'tokens', 'ready s', 's',
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
process.exitCode = falseClaims + strangers > 0 ? 1 : 0;
