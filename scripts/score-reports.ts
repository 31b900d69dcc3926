/**
 * How often the reports of a running service, backed by a real Prometheus, name the component a
 * fault was injected into among their `changes`, and, for each system, how reliable their words
 * are: how often the most likely cause is in that component, by the certainty of the report. Also
 * prints the scores of the ranking alone on the same cases.
 *
 *   npm run build && npx tsx scripts/score-reports.ts [--dataset PetShop] [--cases 20] [--verbose]
 *       [--data test/fixtures/labelled-incidents] [--main dist/main.js]
 *
 * --cases limits the cases of each recording. Needs prometheus and promtool (apt-get install
 * prometheus). Each failure gets a namespace of its own, and its timestamps are shifted so that it
 * began eight minutes ago. Its alert is ended before the next one fires.
 */
import {
  certainties, type Certainty, type Narrative, type WrittenNarrative,
} from '../src/report/report.ts';
import { withCleanup } from '../test/support/cleanup.ts';
import type { Program } from '../test/support/programs/programs.ts';
import { startAnalyst, unlimited } from '../test/support/programs/running-analyst.ts';
import { temporaryDirectory } from '../test/support/temporary-directory.ts';
import { median, quantile } from './bench/figures.ts';
import { recentOf, type LabelledCase } from './ranking/labelled-case.ts';
import { readLabelledIncidents } from './ranking/labelled-incidents.ts';
import {
  endAlert, namesOfCulprit, namingOfCulprit, placeOfCulprit, reportedComponents, reportOn,
  type Naming,
} from './ranking/reported-case.ts';
import {
  accuracyColumns, accuracyHead, accuracyOf, accuracyOfPlaces, methods, type Accuracy,
} from './ranking/score.ts';
import { serveCases, type ServedCase } from './ranking/served-cases.ts';
import { scriptOptions } from './script-options.ts';

const options = scriptOptions(import.meta.url, {
  data: { type: 'string', default: 'test/fixtures/labelled-incidents' },
  dataset: { type: 'string' },
  cases: { type: 'number', default: Infinity },
  main: { type: 'string' },
  verbose: { type: 'boolean', default: false },
});

/** Few enough to be reported soon after the last sample, and not to be taken for a storm. */
const casesPerStart = 8;
const recentSteps = 180;

/** With MODEL_PROVIDER and so on in the environment, that model is asked as well. */
const modelVariables = Object.fromEntries(Object.entries(process.env)
  .filter(([name]) => name.startsWith('MODEL_')));
const isModelAsked = modelVariables['MODEL_PROVIDER'] !== undefined;

interface Scored {
  readonly narrative: Narrative;
  readonly incident: LabelledCase;
  readonly place: number;
  readonly certainty: Certainty;
  /** As in {@linkcode namingOfCulprit}. */
  readonly naming: Naming | null;
  readonly seconds: number;
}

const cases = readLabelledIncidents(options.data).cases
  .filter(({ ranked, own }) => ranked === 'components' && own !== null);
const datasets = new Set(cases.map(({ dataset }) => dataset));
const chosen = [...datasets].filter((name) => (options.dataset ?? name) === name)
  .flatMap((name) => {
    return evenly(cases.filter(({ dataset }) => dataset === name), options.cases);
  });
const scored: Scored[] = [];
for (let from = 0; from < chosen.length; from += casesPerStart) {
  scored.push(...await score(chosen.slice(from, from + casesPerStart)));
}
for (const name of datasets) {
  printTable(name, scored.filter(({ incident }) => incident.dataset === name));
}
printTable('All', scored);
for (const system of new Set(scored.map(({ incident }) => incident.system))) {
  printReliability(system, scored.filter(({ incident }) => incident.system === system));
}
printReliability('All systems', scored);
if (isModelAsked) printModel();

/** `count` items, spread evenly over the list. */
function evenly<T>(all: readonly T[], count: number): T[] {
  if (count >= all.length) return [...all];
  return Array.from({ length: count }, (_, index) => {
    return all[Math.floor(index * all.length / count)];
  }).filter((each) => each !== undefined);
}

function score(batch: readonly LabelledCase[]): Promise<Scored[]> {
  return withCleanup(async (cleanup) => {
    const { prometheus, served } = await serveCases(cleanup, batch);
    const analyst = await startAnalyst({
      dataDirectory: temporaryDirectory(),
      env: { ...unlimited, PROMETHEUS_URL: prometheus.url, ...modelVariables },
      main: options.main,
    });
    cleanup.after(() => analyst.program.stop());
    const posting = { analyst: analyst.url, prometheus: prometheus.url };
    const results: Scored[] = [];
    for (const each of served) results.push(await scoreOne(each, posting, analyst.program));
    return results;
  });
}

async function scoreOne(
  { incident, alert }: ServedCase,
  posting: { readonly analyst: string; readonly prometheus: string },
  program: Program,
): Promise<Scored> {
  const { report, seconds } = await reportOn(alert, posting);
  await endAlert(alert, posting);
  if (report.status === 'failed') console.log(incident.id, 'failed', program.output().slice(-500));
  const place = placeOfCulprit(report, incident);
  const { certainty, most_likely: cause } = report.verdict;
  if (options.verbose) {
    const names = reportedComponents(report.changes, incident.alerting).slice(0, 5).join(', ');
    console.log(incident.id, incident.fault, `${seconds.toFixed(2)} s, place ${place} of`, names);
    console.log(`  ${certainty}: ${cause}`);
  }
  const naming = namingOfCulprit(report, incident);
  return { incident, place, certainty, naming, seconds, narrative: report.narrative };
}

function printTable(title: string, results: readonly Scored[]): void {
  if (results.length === 0) return;
  const incidents = results.map(({ incident }) => incident);
  console.log(`${title}, ${results.length} cases`.padEnd(30), accuracyHead);
  printLine('report', accuracyOfPlaces(results.map(({ place }) => place)));
  const recent = incidents.map((incident) => recentOf(incident, recentSteps));
  for (const name of ['this service', 'reference']) {
    const method = methods[name];
    if (method === undefined) continue;
    printLine(`${name}, ranking alone`, accuracyOf(method, incidents));
    printLine(`${name}, last 3 hours`, accuracyOf(method, recent));
  }
  const times = results.map(({ seconds }) => seconds);
  console.log(`  seconds to the report: median ${median(times).toFixed(2)}, ` +
    `longest ${quantile(times, 1).toFixed(2)}\n`);
}

/** How often the most likely cause is the right one, for each certainty; ties name several. */
function printReliability(title: string, results: readonly Scored[]): void {
  const told = results.filter(({ naming }) => naming !== null);
  const cells = certainties.flatMap((certainty) => {
    const those = told.filter((each) => each.certainty === certainty);
    const right = those.filter(({ naming }) => naming === 'first' || naming === 'tied').length;
    const words = certainty === 'inconclusive' ? 'too close to call, right among them' : certainty;
    return those.length === 0 ? [] : [`${words} ${right} of ${those.length}`];
  });
  const left = results.length - told.length;
  console.log(`${title}: right when ${cells.join('; ')}; none named ${left}`);
}

function printModel(): void {
  const told = scored.flatMap(({ incident, narrative }) =>
    narrative.state === 'present' ? [{ incident, ...narrative }] : []);
  const right = told.filter(({ incident, culprits = [] }) =>
    namesOfCulprit(incident).includes(culprits[0]?.component ?? ''));
  const first = scored.filter(({ place }) => place === 1);
  const sum = (of: (each: WrittenNarrative) => number): number =>
    told.reduce((total, each) => total + of(each), 0);
  const seconds = sum(({ duration_ms: ms }) => ms / 1000) / Math.max(1, told.length);
  console.log(
    `Culprit named first: without the model ${first.length} of ${scored.length}, by it ` +
    `${right.length} of ${told.length}; assertions that held at first ` +
    `${sum(({ asserted }) => asserted?.held_at_first ?? 0)} of ` +
    `${sum(({ asserted }) => asserted?.made ?? 0)}; ${sum(({ tokens }) => tokens)} tokens, ` +
    `cost ${sum(({ cost }) => cost ?? 0).toFixed(2)}, ${seconds.toFixed(1)} s each`,
  );
}

function printLine(name: string, accuracy: Accuracy): void {
  console.log(`  ${name.padEnd(28)}`, accuracyColumns(accuracy));
}
