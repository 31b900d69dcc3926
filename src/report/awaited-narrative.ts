import type { Narrative } from './report.ts';

/** Whether a narrative may still come: of a model that has not answered, or cannot be asked now. */
export function isAwaited(narrative: Narrative): boolean {
  return narrative.state === 'absent'
    && (narrative.reason === 'pending' || narrative.reason === 'breaker');
}
