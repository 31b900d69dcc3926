import { isUtf8 } from 'node:buffer';
import { isWithinJsonLimits } from '../../lib/json-limits.ts';
import { FormatError } from '../../lib/parse.ts';
import { feedbackLimits, newFeedback, type NewFeedback } from '../../report/feedback.ts';
import { invalidFeedback } from '../http-errors.ts';
import { whyNotJson } from './json-body.ts';

/** A page's form sends this; any other body is taken for JSON. */
const formType = 'application/x-www-form-urlencoded';

const details: ReadonlyMap<string, string> = new Map([
  ['feedback.verdict', 'verdict must be right, partly or wrong'],
  ['feedback.cause', `cause must be text of at most ${feedbackLimits.cause} characters`],
  ['feedback.note', `note must be text of at most ${feedbackLimits.note} characters`],
  ['feedback.noisy', 'noisy must be true or false'],
]);

/** What somebody says of a report, as JSON or as a form. Throws HttpError 400 that says why not. */
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
  if (!isWithinJsonLimits(text)) throw invalidFeedback('Invalid feedback', 'It nests too deep');
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw invalidFeedback('Invalid feedback', whyNotJson(text, error));
  }
}

/** Members of the form that feedback has; one that is sent twice is a list, and so refused. */
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

/** Browsers send `on` for a box that is ticked, and nothing for one that is not. */
function checkboxValue(value: unknown): unknown {
  if (value === 'on' || value === 'true') return true;
  return value === '' || value === 'false' ? false : value;
}
