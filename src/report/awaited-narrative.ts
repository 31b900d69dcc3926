import type { AbsentNarrative, Narrative } from './report.ts';

/** The narrative of a report whose model has not answered yet. */
export const pendingNarrative: AbsentNarrative = {
  state: 'absent', reason: 'pending', detail: 'The language model has not answered yet.',
};

/** Whether a narrative may still come: the model has not answered, or cannot be asked now. */
export function isAwaited(narrative: Narrative): boolean {
  return narrative.state === 'absent'
    && (narrative.reason === 'pending' || narrative.reason === 'breaker');
}
