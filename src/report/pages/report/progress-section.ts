import { html, sentence, type Html } from '../../html.ts';
import { progressSentence } from '../../words.ts';
import type { View } from './view.ts';

/**
 * What is being done and how far it is, while the analysis waits or runs. A script keeps words and
 * bar up to date; without one the page loads itself again. No live region: who listens to the page
 * hears when the report is there, and not every step.
 */
export function progressSection({ report }: View): Html {
  const progress = progressSentence(report);
  if (progress === null) return html``;
  const { done, of } = report.progress ?? { done: 0, of: 0 };
  const value = of > 0 && html` value="${done}" max="${of}"`;
  return html`<div class="notice" id="progress">
<p><span data-progress="words">${sentence(progress)}</span>.
<span class="quiet">This page updates itself.</span></p>
<progress data-progress="bar"${value} aria-label="Progress of the analysis"></progress></div>
`;
}
