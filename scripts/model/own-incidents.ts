/** An operator's own incidents: stored reports whose cause people told, put to his model again. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { grantOf, modelAccess } from '../../src/app/connections.ts';
import { redactionsOf } from '../../src/config/secret.ts';
import { loadModel } from '../../src/config/settings.ts';
import { EpisodeBook } from '../../src/episodes/book/episode-book.ts';
import { caseFileOf } from '../../src/episodes/case-file-of.ts';
import { applyRecord } from '../../src/episodes/episode-journal.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { nodeFileSystem } from '../../src/lib/file-system.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { narrateReports } from '../../src/narration/narrate-reports.ts';
import { Journal } from '../../src/queue/journal.ts';
import type { CaseFile } from '../../src/report/case-file.ts';
import type { Report } from '../../src/report/report.ts';
import { ReportStore } from '../../src/report/store/report-store.ts';
import { createLogger } from '../../src/telemetry/log.ts';

interface OwnIncident {
  readonly report: Report;
  readonly caseFile: CaseFile;
  /** What people said was the cause. */
  readonly cause: string;
}

export interface Judged {
  readonly name: string;
  readonly cause: string;
  /** The report as it was made without the model. */
  readonly before: Report;
  readonly after: Report;
  readonly seconds: number;
}

/**
 * The incidents of a data directory whose cause is known: told in feedback, or that of the report
 * where feedback calls it right. The directory is copied before it is read, so the service may run.
 */
export async function readOwnIncidents(dataDirectory: string): Promise<readonly OwnIncident[]> {
  const copy = await mkdtemp(join(tmpdir(), 'own-incidents-'));
  try {
    for (const part of ['journal', 'reports']) {
      await cp(join(dataDirectory, part), join(copy, part), { recursive: true });
    }
    return await incidentsIn(copy);
  } finally {
    await rm(copy, { recursive: true });
  }
}

async function incidentsIn(directory: string): Promise<OwnIncident[]> {
  const book = new EpisodeBook();
  const journal = await Journal.open({
    directory: join(directory, 'journal'), files: nodeFileSystem, clock: systemClock,
    log: createLogger({ level: 'error', format: 'pretty', now: () => 0, write: () => {} }),
    onRecord: (record) => applyRecord(book, record),
  });
  await journal.close();
  const reports = await ReportStore.open({
    directory: join(directory, 'reports'), files: nodeFileSystem, clock: systemClock,
    extentOf: (key) => book.extentsOf(key)?.report ?? null, onDamage: () => {},
  }, [...book.all()].flatMap(({ report }) => report ?? []));
  const found: OwnIncident[] = [];
  for (const episode of book.all()) {
    const said = episode.feedback.at(-1);
    const json = said === undefined ? null : await reports.read(episode);
    if (said === undefined || json === null) continue;
    const report = JSON.parse(json) as Report;
    const cause = said.cause ?? (said.verdict === 'right' ? report.verdict.most_likely : null);
    if (cause === null) continue;
    const caseFile = caseFileOf(book, episode, {
      reportBase: 'http://localhost', now: Date.parse(report.updated_at),
    });
    found.push({ report: withoutModel(report), caseFile, cause });
  }
  return found;
}

/** As it was before a model looked at it, as far as that is kept. */
function withoutModel({ verdict, hypotheses, ...report }: Report): Report {
  const own = hypotheses.filter(({ proposed_by: by }) => by === 'model').map(({ cause }) => cause);
  const isOwn = verdict.most_likely !== null && own.includes(verdict.most_likely);
  return {
    ...report, hypotheses: hypotheses.filter(({ cause }) => !own.includes(cause)),
    verdict: isOwn ? { ...verdict, most_likely: null, certainty: 'inconclusive' } : verdict,
    narrative: { state: 'absent', reason: 'pending', detail: '' },
  };
}

/** Asks the model in the environment about each, without any source: only from what was stored. */
export async function askAbout(incidents: readonly OwnIncident[]): Promise<readonly Judged[]> {
  const { model, secrets } = loadModel(process.env);
  if (model === null) throw new Error('Set MODEL_PROVIDER, MODEL_NAME and MODEL_API_KEY.');
  const judged: Judged[] = [];
  for (const { report, caseFile, cause } of incidents) {
    const beganAt = performance.now();
    const [after = report] = await narrateReports([{ report, caseFile }], {
      clock: systemClock, random: systemRandom,
      model: { access: modelAccess(model), secrets: redactionsOf(secrets) },
      grant: grantOf(model), tokensPerDay: Number.MAX_SAFE_INTEGER, onStep: () => {},
      sourcesFor: () => Promise.resolve({
        prometheus: null, alertmanager: null, loki: null, kubernetes: null,
      }),
    });
    const seconds = (performance.now() - beganAt) / 1000;
    judged.push({ name: report.alert.name, cause, before: report, after, seconds });
  }
  return judged;
}

/** Whether the cause that people told names the first component that changed. */
export function namesFirstChange({ before, cause }: Judged): boolean {
  const first = before.changes.find(({ component }) => component !== null)?.component?.value;
  return first !== undefined && isNamedIn(cause, first);
}

/** Whether it names the first component that the model holds responsible. */
export function namesFirstCulprit({ after: { narrative }, cause }: Judged): boolean {
  const [first] = narrative.state === 'present' ? narrative.culprits ?? [] : [];
  return first !== undefined && isNamedIn(cause, first.component);
}

function isNamedIn(cause: string, component: string): boolean {
  return cause.toLowerCase().includes(component.toLowerCase());
}
