import { html, sentence, type Html } from '../../html.ts';
import { progressSentence } from '../../words.ts';
import type { View } from './view.ts';

/**
 * The current step and progress while the analysis waits or runs. The script updates both; without
 * it the page reloads. This is no live region: screen readers announce the finished report and not
 * every step.
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
