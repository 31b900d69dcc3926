/** Narrations without a thread: the test sees what they ask of it, and decides how that ends. */
import type { NarrationJob } from '../../src/analysis/threads/worker-messages.ts';
import type { Outcome, TaskHooks } from '../../src/analysis/threads/worker-thread.ts';
import { conclusionOf } from '../../src/episodes/conclusion.ts';
import type { Episode } from '../../src/episodes/episode.ts';
import type { OutcomeRecord } from '../../src/episodes/records.ts';
import { Breaker } from '../../src/narration/breaker.ts';
import { Narrations } from '../../src/narration/narrations.ts';
import { TokenBudget } from '../../src/narration/token-budget.ts';
import type { Narrative, Report } from '../../src/report/report.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { ManualClock } from './manual-clock.ts';
import { anAlert } from './samples/alerts.ts';
import { aCaseFile } from './samples/case-files.ts';
import { sampleNow, sampleReport } from './samples/sample-report.ts';

interface Asked {
  readonly job: NarrationJob;
  readonly hooks: TaskHooks;
  readonly end: (outcome: Outcome) => void;
}

export interface NarrationsSetup {
  readonly clock: ManualClock;
  readonly breaker: Breaker;
  readonly narrations: Narrations;
  readonly stored: Map<string, string>;
  readonly asked: Asked[];
  readonly outcomes: OutcomeRecord[];
  readonly ended: Narrative[];
  /** Lines of the log. */
  readonly logged: string[];
  isIdle: boolean;
  isReady: boolean;
  changes: number;
}

export const pending: Narrative = { state: 'absent', reason: 'pending', detail: 'soon' };
export const present: Narrative = {
  state: 'present', text: 'All is well.', claims: [], suspicious_content: false, model: 'm',
  tokens: 10, cost: null, duration_ms: 1, written_at: new Date(sampleNow).toISOString(),
};

export function setUpNarrations(): NarrationsSetup {
  const clock = new ManualClock(sampleNow);
  const budget = TokenBudget.ofRun({ clock, tokensPerDay: 100_000 });
  const breaker = new Breaker(clock);
  const log = createLogger({
    level: 'info', format: 'pretty', now: () => sampleNow, write: (line) => setup.logged.push(line),
  });
  const setup: NarrationsSetup = {
    clock, breaker,
    stored: new Map(), asked: [], outcomes: [], ended: [], logged: [], isIdle: true,
    isReady: true, changes: 0,
    narrations: new Narrations({
      clock, budget, breaker, log,
      freshMs: 3_600_000, grant: {
        tokens: 50_000, outputTokens: 4_000, deadlineMs: 240_000, prices: null,
      },
      narrate: (job, hooks) => new Promise((end) => setup.asked.push({ job, hooks, end })),
      isReady: () => setup.isReady,
      caseFileOf: ({ severity }) => aCaseFile({
        alert: anAlert({ labels: { alertname: 'A', severity } }),
      }),
      reports: {
        read: ({ fingerprint }) => Promise.resolve(setup.stored.get(fingerprint) ?? null),
        write: ({ fingerprint }, json) => {
          setup.stored.set(fingerprint, json);
          return Promise.resolve({ file: 1, offset: 0, bytes: json.length });
        },
      },
      journal: {
        outcome: (outcome) => {
          setup.outcomes.push(outcome);
          return Promise.resolve();
        },
        moved: () => Promise.resolve(),
      },
      whileIdle: async (_episode, store) => {
        if (setup.isIdle) await store();
        return setup.isIdle;
      },
      onChange: () => (setup.changes += 1),
      onEnd: (narrative) => setup.ended.push(narrative),
    }),
  };
  return setup;
}

export function anEpisode(
  fingerprint: string,
  severity: Episode['severity'] = 'critical',
): Episode {
  return {
    fingerprint: fingerprint as Episode['fingerprint'], number: 1, name: 'A', namespace: null,
    severity, startsAt: '2026-11-20T01:00:00Z', endsAt: null, isEndUnknown: false,
    notifications: 1,
    analysis: 'reported', attempts: 0, attemptsTotal: 1, isAskedFor: false, conclusion: null,
    report: null, recording: null,
    latest: null, identity: null, incident: null, feedback: [],
  };
}

export function aReport(over: Partial<Report> = {}): Report {
  return { ...sampleReport(), narrative: pending, ...over };
}

export function keep(
  setup: NarrationsSetup,
  episode: Episode,
  report: Report = aReport(),
): Episode {
  setup.stored.set(episode.fingerprint, JSON.stringify(report));
  setup.narrations.add(episode);
  return episode;
}

export async function settle(): Promise<void> {
  for (let n = 0; n < 10; n += 1) await new Promise(setImmediate);
}

export function done(report: Report): Outcome {
  return {
    kind: 'done',
    report: {
      json: JSON.stringify(report), status: 'ready', conclusion: conclusionOf(report),
      recheckAt: null, recording: null, failedChecks: 0,
    },
  };
}

export function storedIn(setup: NarrationsSetup, { fingerprint }: Episode): Report {
  return JSON.parse(setup.stored.get(fingerprint) ?? 'null') as Report;
}
