import type { Narrative } from './report.ts';

/** Why a narrative is not there yet. */
export const pendingNarrative: Extract<Narrative, { state: 'absent' }> = {
  state: 'absent', reason: 'pending', detail: 'The language model has not answered yet.',
};

/** Whether a narrative may still come: of a model that has not answered, or cannot be asked now. */
export function isAwaited(narrative: Narrative): boolean {
  return narrative.state === 'absent'
    && (narrative.reason === 'pending' || narrative.reason === 'breaker');
}
