import { isUtf8 } from 'node:buffer';
import { isWithinJsonLimits } from '../../lib/json-limits.ts';
import { FormatError } from '../../lib/parse.ts';
import { whyNotJson } from '../../lib/why-not-json.ts';
import { feedbackLimits, newFeedback, type NewFeedback } from '../../report/feedback.ts';
import { invalidFeedback } from '../http-errors.ts';

/** Sent by the form on the page; any other body is parsed as JSON. */
const formType = 'application/x-www-form-urlencoded';

const details: ReadonlyMap<string, string> = new Map([
  ['feedback.verdict', 'verdict must be right, partly or wrong'],
  ['feedback.cause', `cause must be text of at most ${feedbackLimits.cause} characters`],
  ['feedback.note', `note must be text of at most ${feedbackLimits.note} characters`],
  ['feedback.noisy', 'noisy must be true or false'],
]);

/** Parses feedback sent as JSON or as a form. Throws HttpError 400 that says what is wrong. */
export function parseFeedbackBody(body: Buffer, contentType: string | undefined): NewFeedback {
  if (!isUtf8(body)) throw invalidFeedback('Invalid feedback', 'The body is not UTF-8');
  const text = body.toString('utf8');
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  const value = type === formType ? formMembers(text) : parseJson(text);
  try {
    return newFeedback(value, 'feedback');
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw invalidFeedback(details.get(error.path) ?? 'Invalid feedback', error);
  }
}

function parseJson(text: string): unknown {
  if (!isWithinJsonLimits(text)) {
    throw invalidFeedback('Invalid feedback', 'The body is nested too deeply');
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw invalidFeedback('Invalid feedback', `The body ${whyNotJson(text, error)}`);
  }
}

/** The form's fields. A field that is sent twice becomes a list, which is then refused. */
function formMembers(text: string): Record<string, unknown> {
  const sent = new URLSearchParams(text);
  const member = (name: string): unknown => {
    const values = sent.getAll(name);
    return values.length > 1 ? values : values[0];
  };
  return {
    verdict: member('verdict'),
    cause: member('cause'),
    note: member('note'),
    noisy: checkboxValue(member('noisy')),
  };
}

/** Browsers send `on` for a ticked box and nothing for an unticked one. */
function checkboxValue(value: unknown): unknown {
  if (value === 'on' || value === 'true') return true;
  return value === '' || value === 'false' ? false : value;
}
