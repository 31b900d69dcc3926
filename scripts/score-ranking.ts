/**
 * How often the ranking names what was at fault, compared with other methods.
 *
 *   npx tsx scripts/score-ranking.ts [--data test/fixtures/labelled-incidents] [--faults]
 *
 * AC@k is the share of cases in which a right answer is among the first k, Avg@5 the mean of AC@1
 * to AC@5. Ranked are components, without the alert's own, or the series of a single machine.
 * --data may name a folder with further recordings; --faults prints the kinds of fault apart.
 *
 * The constants of the score fit the systems that they were looked for with. So a change is judged
 * by the last two tables: a forward search chooses constants, or the margin from which the first
 * component is called likely, on all systems but one, and each is judged on the one left out.
 */
import { scoreConstants, type ScoreConstants } from '../src/statistics/series-score.ts';
import { meanOf } from './bench/figures.ts';
import type { LabelledCase } from './ranking/labelled-case.ts';
import { readLabelledIncidents } from './ranking/labelled-incidents.ts';
import {
  leadsOf, leaveOneOut, marginFor, measuredCase, type Lead,
} from './ranking/leave-one-out.ts';
import { accuracyColumns, accuracyHead, accuracyOf, methods, quietShare } from './ranking/score.ts';
import { scriptOptions } from './script-options.ts';

const { data, faults } = scriptOptions(import.meta.url, {
  data: { type: 'string', default: 'test/fixtures/labelled-incidents' },
  faults: { type: 'boolean', default: false },
});
/** How often the first component has to be right to be called likely. */
const likelyShare = 0.85;

const { cases, quiet } = readLabelledIncidents(data);
const datasets = namesOf(cases, ({ dataset }) => dataset);
const systems = namesOf(cases, ({ system }) => system);

for (const dataset of datasets) {
  const there = cases.filter((incident) => incident.dataset === dataset);
  const [{ system = '', ranked = '' } = {}] = there;
  print(`${dataset} (${system}), ${there.length} cases, ${ranked}`, there);
  for (const fault of faults ? namesOf(there, (incident) => incident.fault) : []) {
    print(`  ${fault}`, there.filter((incident) => incident.fault === fault));
  }
  const windows = quiet.filter((window) => window.dataset === dataset);
  if (windows.length === 0) continue;
  const { share, series } = quietShare(windows);
  console.log(`  ${(100 * share).toFixed(2)} % of ${series} quiet series are notable`);
}
printSystems();
const measured = cases.map(measuredCase);
printConstants();
printMargins(leadsOf(measured));

function namesOf<T>(all: readonly T[], nameOf: (each: T) => string): string[] {
  return [...new Set(all.map(nameOf))];
}

function print(title: string, incidents: readonly LabelledCase[]): void {
  console.log(title.padEnd(48), accuracyHead);
  for (const [name, method] of Object.entries(methods)) {
    console.log(`  ${name.padEnd(46)}`, accuracyColumns(accuracyOf(method, incidents)));
  }
}

/** Avg@5 of each system, the mean of its recordings, and the mean of the systems. */
function printSystems(): void {
  console.log(`\nAvg@5`.padEnd(22), [...systems, 'mean'].map(column).join(' '));
  for (const [name, method] of Object.entries(methods)) {
    const scores = systems.map((system) => meanOf(datasets.map((dataset) => cases.filter((each) =>
      each.dataset === dataset && each.system === system)).filter(({ length }) => length > 0)
      .map((there) => accuracyOf(method, there).avg5)));
    console.log(name.padEnd(21), [...scores, meanOf(scores)].map(figure).join(' '));
  }
}

function printConstants(): void {
  console.log(`\nLeft out${' '.repeat(13)}deviation alone, chosen by the others, in use`);
  const all = leaveOneOut(measured);
  for (const { system, plain, chosen, used, constants } of all) {
    console.log(system.padEnd(21), [plain, chosen, used].map(figure).join(' '),
      ` chosen: ${constantsText(constants)}`);
  }
  const means = (['plain', 'chosen', 'used'] as const)
    .map((of) => meanOf(all.map((each) => each[of])));
  console.log('mean'.padEnd(21), means.map(figure).join(' '),
    ` in use: ${constantsText(scoreConstants)}`);
}

function constantsText(constants: ScoreConstants): string {
  return Object.entries(constants).map(([name, value]: [string, number]) =>
    `${name} ${Number(value.toFixed(2))}`).join(', ');
}

/** How often a first component that moved strongly is right, by how much it is ahead. */
function printMargins(leads: readonly Lead[]): void {
  const bounds = [0, 0.25, 0.5, 0.8, 1, 1.5, 2];
  console.log(`\nFirst is right, ahead by from`.padEnd(34), bounds.map(column).join(' '));
  const named = namesOf(leads, ({ system }) => system);
  for (const system of [...named, 'all']) {
    const there = leads.filter((lead) => system === 'all' || lead.system === system);
    const cells = bounds.map((from, index) => rightText(there.filter(({ margin }) =>
      margin >= from && margin < (bounds[index + 1] ?? Infinity))));
    console.log(`  ${system.padEnd(31)}`, cells.map(column).join(' '));
  }
  for (const system of named) {
    const least = marginFor(likelyShare, leads.filter((lead) => lead.system !== system));
    const beyond = leads.filter((lead) => lead.system === system && lead.margin >= least);
    console.log(`  ${system} left out: the others choose ${least}, right there ` +
      rightText(beyond));
  }
}

function rightText(leads: readonly Lead[]): string {
  const right = leads.filter(({ isRight }) => isRight).length;
  return leads.length === 0 ? '–' : `${right}/${leads.length}`;
}

function column(text: string | number): string {
  return String(text).slice(0, 9).padStart(9);
}

function figure(value: number): string {
  return column(value.toFixed(3));
}
