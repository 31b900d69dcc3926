import assert from 'node:assert/strict';
import type { Report } from '../../src/report/report.ts';
import { assertCompleteReport } from '../../test/support/complete-report.ts';
import type { Expectation, Ledger, Tracked } from './ledger.ts';

/** A report that is missing, incomplete, doubled or not finished, or an error in the log. */
export interface Problem {
  readonly kind: 'lost' | 'torn' | 'doubled' | 'unfinished' | 'error';
  readonly text: string;
}

const parallel = 16;

/** Compares the latest report of each alert with what was acknowledged. */
export async function verifyLatest(
  url: string,
  ledger: Ledger,
  alerts: readonly Tracked[],
): Promise<readonly Problem[]> {
  return await collect(alerts, async (alert) => {
    const report = await readReport(`${url}/report/${alert.fingerprint}.json`, alert.fingerprint);
    return latestProblems(alert, report, ledger.expectationOf(alert));
  });
}

/** Checks every episode of each alert: all reports must be complete and finished. */
export async function verifyEpisodes(
  url: string,
  ledger: Ledger,
  alerts: readonly Tracked[],
): Promise<readonly Problem[]> {
  return await collect(alerts, async (alert) => {
    const { fingerprint, episodes } = alert;
    const expected = ledger.expectationOf(alert);
    const latest = await readReport(`${url}/report/${fingerprint}.json`, fingerprint);
    const problems = latestProblems(alert, latest, expected);
    if (latest === null || 'kind' in latest) return problems;
    problems.push(...endProblems(latest));
    for (let number = 1; number <= episodes; number += 1) {
      if (number === latest.episode.number) continue;
      const address = `${url}/report/${fingerprint}/${number}.json`;
      const report = await readReport(address, fingerprint);
      if (report === null || 'kind' in report) {
        const isForgotten = report === null || isHalfForgotten(report);
        if (expected.mayBeForgotten && isForgotten) continue;
        problems.push(report ?? { kind: 'lost', text: address });
      } else if (report.episode.number !== number) {
        problems.push({ kind: 'lost', text: `${address} shows another episode` });
      } else problems.push(...endProblems(report), ...noteProblems(alert, report));
    }
    return problems;
  });
}

function latestProblems(
  alert: Tracked,
  report: Report | Problem | null,
  { episodes, states, mayBeForgotten }: Expectation,
): Problem[] {
  const { fingerprint } = alert;
  if (report === null) {
    return mayBeForgotten ? [] : [{ kind: 'lost', text: `the report of ${fingerprint}` }];
  }
  if ('kind' in report) return mayBeForgotten && isHalfForgotten(report) ? [] : [report];
  const { of, state } = report.episode;
  const text = `${fingerprint} has ${of} episodes, ${state}; ` +
    `acknowledged ${alert.episodes}, ${alert.state}`;
  if (of > Math.max(...episodes)) return [{ kind: 'doubled', text }];
  if (!episodes.includes(of) || !states.includes(state)) return [{ kind: 'lost', text }];
  return noteProblems(alert, report);
}

function endProblems({ fingerprint, status, episode: { number } }: Report): Problem[] {
  if (['ready', 'final', 'failed'].includes(status)) return [];
  return [{ kind: 'unfinished', text: `${fingerprint}/${number} is ${status}` }];
}

/** Acknowledged feedback must be there exactly once; unanswered feedback may be there, too. */
function noteProblems({ fingerprint, notes }: Tracked, report: Report): Problem[] {
  const { number } = report.episode;
  const seen = report.feedback.map(({ note }) => note);
  const isTwice = new Set(seen).size < seen.length;
  const lost = (notes.get(number) ?? []).filter((note) => !seen.includes(note));
  const where = `${fingerprint}/${number}`;
  return [
    ...lost.map((note): Problem => ({ kind: 'lost', text: `feedback "${note}" on ${where}` })),
    ...(isTwice ? [{ kind: 'doubled', text: `feedback on ${where}` } as const] : []),
  ];
}

const withoutFile = 'The stored report is missing or damaged';

/** Retention removes the file first; if a kill intervenes, the next round removes the episode. */
function isHalfForgotten({ text }: Problem): boolean {
  return text.includes(withoutFile);
}

/** Null if there is no such report. */
async function readReport(
  address: string,
  fingerprint: string,
): Promise<Report | Problem | null> {
  const response = await fetch(address);
  const text = await response.text();
  if (response.status === 404) return null;
  if (response.status !== 200) {
    return { kind: 'torn', text: `${address} answered ${response.status}` };
  }
  try {
    const report = JSON.parse(text) as Report;
    if (report.status === 'failed' && report.verdict.headline.includes(withoutFile)) {
      return { kind: 'torn', text: `${address}: ${report.verdict.headline}` };
    }
    assertCompleteReport(report);
    assert.equal(report.fingerprint, fingerprint);
    return report;
  } catch (error) {
    const { message } = error as Error;
    return { kind: 'torn', text: `${address}: ${message}; it ends with ${text.slice(-60)}` };
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
