import { html, isolated, sentence, type Html } from '../../html.ts';
import { questionLengthMax, questionsMax } from '../../question.ts';
import type { AskedQuestion, Report } from '../../report.ts';
import { uncheckedText } from '../../words.ts';
import { commandBlock, itemList, moment } from '../elements.ts';
import { claimsFound, linked, missingLine } from './outcome-sections.ts';
import { pathOf, type View } from './view.ts';

/** The questions about this report with their answers, and a field for another one. */
export function questionsContent(view: View): Html {
  const { report, takesQuestions, feedbackBy } = view;
  const { questions = [] } = report;
  const isOpen = takesQuestions && questions.length < questionsMax
    && report.provenance.finished_at !== null;
  const way = feedbackBy === 'form' ? questionForm(report) : command(report);
  return html`${itemList(questions, (question) => answer(question, view))}${isOpen && way}`;
}

function answer({ question, asked_at: at, ...given }: AskedQuestion, view: View): Html {
  const head = html`<p><strong>${isolated(question)}</strong> <span class="quiet small">${
    moment(at, view.now)}</span></p>`;
  if (given.detail !== null) return html`${head}<p class="quiet">${sentence(given.detail)}</p>`;
  return html`${head}<div class="written">${given.text !== '' && html`
<p class="quiet small">${uncheckedText}:</p><p class="long">${linked(given.text, view)}</p>`}
${claimsFound(given.claims, view)}${missingLine(given)}</div>`;
}

function questionForm(report: Report): Html {
  return html`<form class="say" method="post" action="${pathOf(report)}/ask" data-feedback>
<p><label for="question">Ask the language model about this report</label>
<input type="text" id="question" name="question" required maxlength="${questionLengthMax}"></p>
<p><button type="submit">Ask</button></p>
<p class="problem" role="alert" hidden data-problem></p>
</form>
`;
}

function command(report: Report): Html {
  const address = report.report_url.replaceAll("'", '%27');
  return html`<p>To ask the language model about this report, from a terminal:</p>
${commandBlock(`curl -H "Authorization: Bearer $ACCESS_TOKEN" '${address}/ask' \\
  --data-urlencode 'question=what you want to know'`,
  { id: 'ask-command', what: 'the command to ask' })}`;
}
