import type { Ledger, Tracked } from './ledger.ts';

/** What is wrong with a report: gone, not whole, or more episodes than were fired. */
export interface Problem {
  readonly kind: 'lost' | 'torn' | 'doubled' | 'unfinished';
  readonly fingerprint: string;
  readonly text: string;
}

const parallel = 16;

const members = [
  'schema', 'fingerprint', 'report_url', 'status', 'updated_at', 'progress', 'episode', 'alert',
  'verdict', 'reality', 'impact', 'changes', 'findings', 'hypotheses', 'ruled_out', 'next_steps',
  'timeline', 'evidence', 'related', 'incident', 'history', 'unknowns', 'narrative', 'resolution',
  'feedback', 'provenance',
] as const;

interface SeenReport {
  readonly fingerprint: string;
  readonly status: string;
  readonly episode: { readonly number: number; readonly of: number; readonly state: string };
  readonly feedback: readonly { readonly note: string | null }[];
}

/** Reads the latest report of each alert and compares it with what was acknowledged. */
export async function verifyLatest(
  url: string,
  ledger: Ledger,
  alerts: readonly Tracked[],
): Promise<readonly Problem[]> {
  return await collect(alerts, async (alert) => {
    const { fingerprint } = alert;
    const report = await readReport(`${url}/report/${fingerprint}.json`, fingerprint);
    if ('kind' in report) return [report];
    const expected = ledger.expectationOf(alert);
    const { of: episodes, state } = report.episode;
    const seen = `${episodes} episodes, ${state}; acknowledged ${alert.episodes}, ${alert.state}`;
    if (episodes > Math.max(...expected.episodes)) {
      return [{ kind: 'doubled', fingerprint, text: seen }];
    }
    if (!expected.episodes.includes(episodes) || !expected.states.includes(state)) {
      return [{ kind: 'lost', fingerprint, text: seen }];
    }
    return noteProblems(alert, report);
  });
}

/** Reads every episode of each alert: all must be whole and in a final state. */
export async function verifyEpisodes(
  url: string,
  alerts: readonly Tracked[],
): Promise<readonly Problem[]> {
  return await collect(alerts, async (alert) => {
    const { fingerprint, episodes } = alert;
    const problems: Problem[] = [];
    for (let number = 1; number <= episodes; number += 1) {
      const address = `${url}/report/${fingerprint}/${number}.json`;
      const report = await readReport(address, fingerprint);
      if ('kind' in report) problems.push(report);
      else if (report.episode.number !== number) {
        problems.push({ kind: 'lost', fingerprint, text: `${address} is another episode` });
      } else if (!['ready', 'final', 'failed'].includes(report.status)) {
        problems.push({ kind: 'unfinished', fingerprint, text: `${address}: ${report.status}` });
      }
      if (!('kind' in report)) problems.push(...noteProblems(alert, report));
    }
    return problems;
  });
}

/** Feedback that was acknowledged is there, once; what had no answer may be there as well. */
function noteProblems({ fingerprint, notes }: Tracked, report: SeenReport): Problem[] {
  const { number } = report.episode;
  const seen = report.feedback.map(({ note }) => note);
  const isTwice = new Set(seen).size < seen.length;
  return [
    ...(notes.get(number) ?? []).filter((note) => !seen.includes(note)).map((note): Problem =>
      ({ kind: 'lost', fingerprint, text: `feedback "${note}" on episode ${number}` })),
    ...(isTwice
      ? [{ kind: 'doubled', fingerprint, text: `feedback on episode ${number}` } as const]
      : []),
  ];
}

async function readReport(address: string, fingerprint: string): Promise<SeenReport | Problem> {
  const response = await fetch(address);
  const text = await response.text();
  if (response.status !== 200) {
    const kind = response.status === 404 ? 'lost' : 'torn';
    return { kind, fingerprint, text: `${address} answers ${response.status}` };
  }
  try {
    const report = JSON.parse(text) as SeenReport & Readonly<Record<string, unknown>>;
    const missing = members.filter((name) => !Object.hasOwn(report, name));
    if (missing.length === 0 && report.fingerprint === fingerprint) return report;
    return { kind: 'torn', fingerprint, text: `${address} lacks ${missing.join(', ')}` };
  } catch {
    return { kind: 'torn', fingerprint, text: `${address} is no JSON: ${text.slice(-60)}` };
  }
}

async function collect(
  alerts: readonly Tracked[],
  verify: (alert: Tracked) => Promise<readonly Problem[]>,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const waiting = alerts.values();
  const work = async (): Promise<void> => {
    for (const alert of waiting) problems.push(...(await verify(alert)));
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return problems;
}
