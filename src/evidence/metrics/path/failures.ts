import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { metricWords, words } from '../../../statistics/names/metric-words.ts';

const failureWords = words('errors? failures? failed exceptions? timeouts? rejected refused ' +
  'aborted');
/** Labels that a series has if what it counts went wrong, with what went wrong. */
const errorLabel = /^(?:error|err|errno|exception|reason|failure|cause)(?:_(?:type|code|kind))?$/u;
const noError = /^(?:|none|no|nil|null|ok|0|false|success)$/iu;
const outcomeLabel = /^(?:result|outcome|status|state|success|ok)$/u;
const badOutcome = /^(?:err(?:or)?s?|fail(?:ed|ure)?|timeout|exception|rejected|aborted|5\d\d)$/iu;
const codeLabel = /(?:^|_)(?:r?code|status|status_code|response_flags)$/u;
const serverError = /^5(?:\d\d|xx)$/iu;
const grpcError = new RegExp('^(?:unavailable|deadline_?exceeded|internal|unknown|data_?loss|' +
  'resource_?exhausted|aborted|unimplemented)$', 'iu');
/** The same in words, `dial_error`, and as name servers say it. */
const errorInCode = new RegExp('(?:^|[_-])(?:error|fail(?:ed|ure)?|timeout|refused|unreachable|' +
  '5xx)$|^servfail$', 'iu');
/** An error by which the other side was not reached, rather than one that it answered with. */
const notReached = new RegExp('enotfound|eai_again|econnrefused|ehostunreach|enetunreach|' +
  'no such host|dns|resolv|connection refused|unreachable|certificate|x509|\\btls\\b', 'iu');

/** Whether a counter with these labels counts what failed. */
export function isFailure(labels: LabelSet): boolean {
  const metric = labelOf(labels, '__name__') ?? '';
  const isBad = Object.entries(labels).some(([name, value]) =>
    (errorLabel.test(name) && !noError.test(value)) ||
    (outcomeLabel.test(name) && (badOutcome.test(value) || (/^(?:success|ok)$/u.test(name) &&
      value === 'false'))) ||
    (codeLabel.test(name) && isErrorCode(value)));
  return isBad || failureWords.test(metricWords(metric));
}

function isErrorCode(value: string): boolean {
  return serverError.test(value) || grpcError.test(value) || errorInCode.test(value);
}

/** Whether a label tells how something went, rather than what it was. */
export function isOutcome(label: string): boolean {
  return errorLabel.test(label) || outcomeLabel.test(label) || codeLabel.test(label);
}

/** Whether the labels of failed calls say that nobody was reached. */
export function isNotReached(labels: LabelSet): boolean {
  return Object.entries(labels).some(([name, value]) => isOutcome(name) && notReached.test(value));
}
