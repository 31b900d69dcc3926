import type { Report } from './report.ts';

interface FirstStep {
  readonly text: string;
  /** Null if there is none, or if the first action is not one of the next steps. */
  readonly command: string | null;
}

/** What to do first, with the command of the next step that it is; null for nothing. */
export function firstStepOf(
  { verdict, next_steps: steps }: Pick<Report, 'verdict' | 'next_steps'>,
): FirstStep | null {
  const step = steps.find(({ id }) => id !== undefined && id === verdict.first_step) ??
    (verdict.do_first === null ? steps[0] : undefined);
  const text = verdict.do_first ?? step?.action ?? null;
  return text === null ? null : { text, command: step?.command ?? null };
}
