import { feedbackLimits, verdicts } from '../../feedback.ts';
import { html, isolated, type Html } from '../../html.ts';
import type { Report } from '../../report.ts';
import { feedbackWords } from '../../words.ts';
import { commandBlock, fold, itemList, moment } from '../elements.ts';
import { isUnderWay, pathOf, type View } from './view.ts';

/**
 * The feedback on this report, and forms to give some. They work without a script; with it, what
 * was typed is kept if storing it fails.
 */
export function feedbackContent(view: View): Html {
  const { report, feedbackBy } = view;
  // The forms stay during a new analysis, so that text being typed is not lost.
  const isReported = !isUnderWay(view) || report.provenance.finished_at !== null;
  if (!isReported && report.feedback.length === 0) return html``;
  const ways = feedbackBy === 'command' ? commands(report)
    : html`${feedbackForm(report)}${againForm(report)}`;
  return html`${feedbackList(view)}${isReported && ways}`;
}

function feedbackList({ report, now }: View): Html {
  return itemList(report.feedback, ({ at, verdict, cause, note, noisy }) => {
    const noise = noisy && '; the alert is noise';
    return html`<p>${feedbackWords[verdict]}${noise} <span class="quiet small">${
      moment(at, now)}</span></p>
${cause !== null && html`<p>Cause: ${isolated(cause)}</p>`}
${note !== null && html`<p class="long">${isolated(note)}</p>`}`;
  });
}

function feedbackForm(report: Report): Html {
  const choices = verdicts.map((verdict) => html`<label class="choice">
<input type="radio" name="verdict" value="${verdict}" required> ${feedbackWords[verdict]}</label>
`);
  const address = `${pathOf(report)}/feedback`;
  const form = html`<form class="say" method="post" action="${address}" data-feedback>
<fieldset><legend>Is the conclusion of this report right?</legend>
${choices}</fieldset>
<p><label for="feedback-cause">Cause, in a few words</label>
<input type="text" id="feedback-cause" name="cause" maxlength="${feedbackLimits.cause}"></p>
<p><label for="feedback-note">Note</label>
<textarea id="feedback-note" name="note" rows="3" maxlength="${feedbackLimits.note}"></textarea></p>
<p><label class="choice"><input type="checkbox" name="noisy"> The alert is noise</label></p>
<p class="quiet small">Later reports on this alert, and on others of its name, will mention it.</p>
<p><button type="submit">Send feedback</button></p>
<p class="problem" role="alert" hidden data-problem></p>
</form>
`;
  return fold('Rate this report', form);
}

/** For the latest episode only: the sources cannot be asked about earlier ones any more. */
function againForm(report: Report): Html {
  const { number, of } = report.episode;
  if (number !== of) return html``;
  const address = pathOf(report).replace(/\/\d+$/, '');
  return html`<form class="again" method="post" action="${address}/analyse" data-feedback>
<button type="submit" class="plain">Analyse again</button>
<span class="quiet small">This report stays until the new one is ready.</span>
<p class="problem" role="alert" hidden data-problem></p>
</form>
`;
}

function commands(report: Report): Html {
  // Within single quotes a shell takes everything else literally.
  const address = report.report_url.replaceAll("'", '%27');
  const curl = `curl -H "Authorization: Bearer $ACCESS_TOKEN"`;
  const again = report.episode.number === report.episode.of && html`
<p class="first">To have the alert analysed again:</p>
${commandBlock(`${curl} -X POST '${address.replace(/\/\d+$/, '')}/analyse'`,
  { id: 'analyse-command', what: 'the command to analyse again' })}`;
  return html`<p>Feedback requires the access token, which a page cannot send. From a terminal:</p>
${commandBlock(`${curl} '${address}/feedback' \\
  -d verdict=wrong --data-urlencode 'cause=what it was' -d noisy=false`,
  { id: 'feedback-command', what: 'the feedback command' })}${again}
<p class="quiet small"><code>verdict</code> is right, partly or wrong. If
READ_USER and READ_PASSWORD are set, there is a form here instead.</p>`;
}
