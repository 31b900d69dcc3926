/**
 * Causes known incidents in a shop behind a real Prometheus and a real Alertmanager, and judges
 * what the service reports on them 20 s and 60 s after the first notification and after the end.
 *
 *   npm run build && npx tsx scripts/lab.ts [--incident NAME]… [--seen] [--unseen]
 *       [--set incidents] [--at-once 6] [--main dist/main.js] [--out FOLDER] [--list]
 *
 * Without names all of them run, several at once, each in a shop of its own, and one after the
 * other in each of these; --at-once limits the shops. What was read is left in the folder, by
 * default one for temporary files: reports as JSON and Markdown, lists, and scores.json. How to add
 * an incident is told in scripts/lab/incident.ts. Needs prometheus and prometheus-alertmanager.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withCleanup } from '../test/support/cleanup.ts';
import { temporaryDirectory } from '../test/support/temporary-directory.ts';
import { bringHistory, makeHistory } from './lab/history.ts';
import type { LabIncident } from './lab/incident.ts';
import { printCourse, printFigures, type Judged } from './lab/print.ts';
import { moments, runIncident, type Course } from './lab/run.ts';
import { scoreOf } from './lab/score.ts';
import { startStack } from './lab/stack.ts';
import { refuse, scriptOptions } from './script-options.ts';

const options = scriptOptions(import.meta.url, {
  incident: { type: 'string', multiple: true, default: [] },
  seen: { type: 'boolean', default: false },
  unseen: { type: 'boolean', default: false },
  'at-once': { type: 'number', default: 6 },
  main: { type: 'string' },
  out: { type: 'string', default: join(tmpdir(), 'alert-analyst-lab-reports') },
  list: { type: 'boolean', default: false },
  set: { type: 'string', default: 'incidents' },
});

const all = await readIncidents();
const chosen = chosenOf(all, options.incident);
if (options.list) {
  for (const { name, what } of chosen) console.log(`${name.padEnd(24)} ${what}`);
  process.exit(0);
}
mkdirSync(options.out, { recursive: true });
const now = (): number => Date.now() / 1000;
const inShop = all.filter(({ world }) => world === undefined);
const history = inShop.length > 0 ? await bringHistory(inShop, now) : null;
const lanes = Math.max(1, Math.min(options['at-once'], chosen.length));
const judged = (await Promise.all(Array.from({ length: lanes }, (_, lane) =>
  runLane(lane, chosen.filter((__, index) => index % lanes === lane))))).flat();
printFigures(judged);
writeFileSync(join(options.out, 'scores.json'), JSON.stringify(judged, null, 1));

function runLane(lane: number, incidents: readonly LabIncident[]): Promise<Judged[]> {
  return withCleanup(async (cleanup) => {
    const shared = history !== null && incidents.some(({ world }) => world === undefined)
      ? await startStack(cleanup, {
        history, lane: lane + 1, incidents: inShop, main: options.main,
      }) : null;
    const results: Judged[] = [];
    for (const incident of incidents) {
      const course = shared === null || incident.world !== undefined
        ? await runInWorld(lane, incident, incident.world)
        : await runIncident(shared, incident, options.out);
      const { name, seen } = incident;
      const scores = moments.flatMap((moment) => scoreOf(course, moment) ?? []);
      results.push({ name, seen, readySeconds: course.readySeconds, scores });
      printCourse(incident, course, scores);
    }
    return results;
  });
}

/** In a stack of its own, which ends with it. */
function runInWorld(
  lane: number,
  incident: LabIncident,
  world: LabIncident['world'],
): Promise<Course> {
  if (world === undefined) refuse(`${incident.name} has no world`);
  return withCleanup(async (cleanup) => {
    const history = await makeHistory(temporaryDirectory(), world, now);
    const stack = await startStack(cleanup, {
      history, lane: lane + 1, incidents: [], main: options.main,
      own: { world: world(history.state.origin, lane + 1), rules: incident.rules ?? [] },
    });
    return runIncident(stack, incident, options.out);
  });
}

async function readIncidents(): Promise<LabIncident[]> {
  const folder = new URL(`lab/${options.set}/`, import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts')).sort();
  return Promise.all(files.map(async (file) => {
    const { incident } = (await import(new URL(file, folder).href)) as { incident: LabIncident };
    if (`${incident.name}.ts` !== file) refuse(`${file} has an incident named ${incident.name}`);
    return incident;
  }));
}

function chosenOf(
  incidents: readonly LabIncident[],
  names: readonly string[],
): readonly LabIncident[] {
  const known = incidents.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    refuse(`There is no incident ${unknown}; there are ${known.join(', ')}`);
  }
  const hasBoth = options.seen === options.unseen;
  return incidents
    .filter(({ name }) => names.length === 0 || names.includes(name))
    .filter(({ seen }) => hasBoth || seen === options.seen);
}
