import type { Report } from './report.ts';

interface FirstStep {
  readonly text: string;
  /** Null if there is none, or if the first action is not one of the next steps. */
  readonly command: string | null;
}

/** What to do first, with the command of the next step of the same wording; null for nothing. */
export function firstStepOf(
  { verdict, next_steps: steps }: Pick<Report, 'verdict' | 'next_steps'>,
): FirstStep | null {
  const text = verdict.do_first ?? steps[0]?.action ?? null;
  if (text === null) return null;
  return { text, command: steps.find(({ action }) => action === text)?.command ?? null };
}
