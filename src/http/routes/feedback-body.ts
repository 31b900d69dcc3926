import { FormatError } from '../../lib/parse.ts';
import { feedbackLimits, newFeedback, type NewFeedback } from '../../report/feedback.ts';
import { newQuestion } from '../../report/question.ts';
import { refusal, type RefusalName } from '../http-errors.ts';
import { parseJson, textIn } from './json-body.ts';

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
  const value = membersOf(body, contentType, 'invalidFeedback');
  try {
    return newFeedback(value, 'feedback');
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const detail = details.get(error.path);
    throw refusal('invalidFeedback', { why: error.message, ...(detail && { detail }) });
  }
}

/** Parses a question sent as JSON or as a form. Throws HttpError 400. */
export function parseQuestionBody(body: Buffer, contentType: string | undefined): string {
  const value = membersOf(body, contentType, 'invalidQuestion');
  try {
    return newQuestion(value, 'question').question;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw refusal('invalidQuestion', { why: error.message });
  }
}

function membersOf(body: Buffer, contentType: string | undefined, refused: RefusalName): unknown {
  const text = textIn(body, refused);
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  return type === formType ? formMembers(text) : parseJson(text, refused);
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
    question: member('question'),
  };
}

/** Browsers send `on` for a ticked box and nothing for an unticked one. */
function checkboxValue(value: unknown): unknown {
  if (value === 'on' || value === 'true') return true;
  return value === '' || value === 'false' ? false : value;
}
