/** What a run of the lab prints: each incident as it ends, and the figures of all. */
import type { LabIncident } from './incident.ts';
import type { Course } from './run.ts';
import { onsetWithinSeconds, type Score } from './score.ts';

export interface Judged {
  readonly name: string;
  readonly seen: boolean;
  readonly readySeconds: number | null;
  readonly scores: readonly Score[];
}

export function printCourse(
  { name, truth }: LabIncident,
  { causedAt, notifiedAt, readySeconds }: Course,
  scores: readonly Score[],
): void {
  console.log(`\n=== ${name}\n    Truth: ${truth.says}`);
  if (notifiedAt === null) {
    console.log(`    No alert fired.`);
    return;
  }
  const after = ((notifiedAt - causedAt) / 1000).toFixed(0);
  console.log(`    Notified ${after} s after the cause, ready in ${secondsText(readySeconds)}`);
  for (const score of scores) {
    console.log(`  ${score.moment.padEnd(5)} ${marksOf(score)}`);
    console.log(`    ${score.alert}: ${score.said.replaceAll('\n', '\n    ')}`);
    for (const each of score.falsehoods) console.log(`    FALSE    ${each}`);
    for (const each of score.unjudged) console.log(`    unjudged ${each}`);
  }
}

function marksOf(score: Score): string {
  const { cause, culprit, classification, step, rows, rowsWanted, falsehoods } = score;
  const mark = (what: string, is: boolean | null): string =>
    is === null ? '' : `${what} ${is ? 'yes' : 'NO'}`;
  return [
    mark('class', classification), mark('cause', cause), mark('name', culprit),
    mark('step', step), mark('true', falsehoods.length === 0),
    score.isOnsetJudged ? `onset ${secondsText(score.onsetSeconds)} late` : '',
    `rows ${rows} of ${rowsWanted}`, score.isIncomplete ? 'INCOMPLETE' : '',
  ].filter((text) => text !== '').join(' · ');
}

function secondsText(seconds: number | null): string {
  return seconds === null ? 'unknown' : `${seconds.toFixed(Number.isInteger(seconds) ? 0 : 1)} s`;
}

export function printFigures(judged: readonly Judged[]): void {
  for (const [half, those] of [
    ['seen', judged.filter(({ seen }) => seen)], ['unseen', judged.filter(({ seen }) => !seen)],
  ] as const) {
    if (those.length === 0) continue;
    console.log(`\n${half}: ${those.length} incidents`);
    for (const moment of ['20 s', '60 s', 'end'] as const) {
      const scores = those.flatMap(({ scores: all }) => all)
        .filter((each) => each.moment === moment);
      console.log(`  ${moment.padEnd(5)} ${figuresOf(scores)}`);
    }
    const ready = those.flatMap(({ readySeconds }) => readySeconds ?? []).sort((a, b) => a - b);
    console.log(`  ready ${ready.map((each) => each.toFixed(1)).join(' ')} s`);
  }
}

function figuresOf(scores: readonly Score[]): string {
  const share = (what: string, among: readonly Score[], is: (score: Score) => boolean): string =>
    `${what} ${among.filter(is).length} of ${among.length}`;
  const named = scores.filter(({ culprit }) => culprit !== null);
  return [
    share('class', scores, ({ classification }) => classification),
    share('cause', scores, ({ cause }) => cause),
    share('name', named, ({ culprit }) => culprit === true),
    share('nothing false', scores, ({ falsehoods }) => falsehoods.length === 0),
    share('onset', scores.filter(({ isOnsetJudged }) => isOnsetJudged), ({ onsetSeconds }) =>
      onsetSeconds !== null && Math.abs(onsetSeconds) <= onsetWithinSeconds),
    share('step', scores, ({ step }) => step),
    share('rows', scores, ({ rows, rowsWanted }) => rows === rowsWanted),
    share('incomplete', scores, ({ isIncomplete }) => isIncomplete),
  ].join(' · ');
}
