import { logFieldsOf } from './log-fields.ts';
import { withoutLogHeader } from './log-header.ts';
import { logLevelOf, worseLevel, type LineLevel } from './log-level.ts';

/** The message of a log entry, without the metadata around it. */
export interface LogMessage {
  /** One line of plain text, at most 500 long; empty if the entry has no message of its own. */
  readonly message: string;
  readonly level: LineLevel | null;
}

const messageMax = 500;
/** Lines of a stack trace that are read. */
const linesMax = 100;
/** Nesting that is read: a container's line may hold an object whose message is another line. */
const depthMax = 3;
/** Fields shown in place of a missing message. */
const fieldsMax = 12;

/** Field names in lower case, the likeliest first. */
const levelFields = [
  'level', 'severity', 'lvl', 'loglevel', 'levelname', 'log.level', 'severity_text', '@l', 's',
  'priority',
];
const messageFields = [
  'msg', 'message', '@message', 'short_message', '@m', '@mt', 'renderedmessage', 'messagetemplate',
  'fields.message', 'text', 'log', 'body', 'event',
];
const errorFields = [
  'err', 'error', 'exception', 'err.message', 'error.message', 'exception.message', '@x',
  'fields.error', 'attr.error.errmsg', 'attr.message', 'attr.error', 'error.msg', 'error.reason',
  'cause', 'exc_info',
  'stack_trace', 'stacktrace', 'error.stack', 'err.stack', 'stack',
];
/** Fields that differ in each line and describe no event. */
const varying = /(?:^|[@._])(?:t|ts|time|timestamp)$|(?:^|[@.]|(?<!\w)_)\w*id$/;

/** What the CRI, syslog and PHP-FPM put before what a program writes. */
const wrapping = new RegExp(
  '^(?:\\d{4}-\\d\\d-\\d\\dT[\\d:.]+(?:Z|[+-]\\d\\d:\\d\\d) std(?:out|err) [FP] |<\\d{1,3}>)?' +
  '(?:(?:\\[[\\w: -]{10,30}\\] )?NOTICE: PHP message: )?',
);
const ansi = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*)/g;

const accessLog = /^\S+ \S+ \S+ \[[^\]]{10,40}\] ("[^"]*" \d{3})\b/;
/** Kafka and others put the logger last. */
const javaLogger = / \((?:[\w$-]+\.){2,}[\w$]+\)$/;

const exceptionName = /^[\w.$]*(?:Exception|Error|Throwable|Panic|Exit|Interrupt)(?=:|\s*$)/;
const thread = /^Exception in thread "[^"]*" /;
const cause = /^\s*(?:Caused by|--->):? /;
/** Stack frames of Java, .NET, Node, Python, PHP, Go and Ruby, and the lines around them. */
const frame = new RegExp(
  '^(?:\\s*at \\S.*[)\\d](?: ~?\\[[^\\]]*\\])?|\\s*at \\S+|' +
  '\\s*File ".*, line \\d+.*|\\s*\\.{3} \\d+ .*|\\s*\\^+|' +
  '#\\d+ (?:/|\\{main\\}|\\[internal function\\]).*|' +
  '\\s*from \\S+:\\d+:in .*|\\s+\\S+\\.go:\\d+(?: \\+0x[\\da-f]+)?|goroutine \\d+ \\[.*|' +
  'Traceback \\(most recent call last\\):|(?:During handling of|The above exception).*)$',
  's',
);
const traceback = /^\s*Traceback \(most recent call last\):/;

/**
 * The message and level of one log entry. A structured entry gives its message and error, plain
 * text what follows the time, level and logger, a stack trace the exception and its root cause. A
 * stack frame that was logged as an entry of its own has an empty message.
 */
export function logMessageOf(text: string): LogMessage {
  const { message, level } = read(text.includes('\u001b') ? text.replace(ansi, '') : text, 0);
  return { message: plain(message), level };
}

function read(text: string, depth: number): LogMessage {
  const entry = text.replace(wrapping, '').replace(/^\s*\n/, '').trimEnd();
  const { rest, level } = withoutLogHeader(entry);
  const fields = depth < depthMax ? logFieldsOf(rest.trim()) : null;
  if (fields === null) return { message: messageIn(rest), level };
  const found = readFields(fields, depth);
  return { message: found.message, level: worseLevel(level, found.level) };
}

function readFields(fields: ReadonlyMap<string, string>, depth: number): LogMessage {
  const first = (names: readonly string[]): string | undefined =>
    names.map((name) => fields.get(name)).find((value) => value !== undefined && value !== '');
  const text = first(messageFields);
  const error = first(errorFields);
  const stated = logLevelOf(first(levelFields) ?? '');
  const inner = text === undefined ? null : read(text, depth + 1);
  const level = stated ?? inner?.level ?? null;
  const reason = error === undefined ? '' : messageIn(error);
  const message = withReason(inner?.message ?? '', reason);
  if (message !== '') return { message, level };
  const others = [...fields].filter(([name]) => !varying.test(name) && !levelFields.includes(name));
  const shown = others.slice(0, fieldsMax).map(([name, value]) => `${name}=${value}`);
  return { message: shown.join(' '), level };
}

/** Appends the reason unless one contains the other. */
function withReason(message: string, reason: string): string {
  if (reason === '' || message.includes(reason)) return message;
  if (message === '' || reason.includes(message)) return reason;
  return `${message.replace(/(?<![:\s])[:\s]+$/, '')}: ${reason}`;
}

/** The message in plain text, which may be one line or a whole stack trace. */
function messageIn(text: string): string {
  const lines = text.split('\n', linesMax).map((line) => line.trimEnd())
    .filter((line) => line !== '');
  const [head = '', next = ''] = lines;
  const exception = exceptionIn(lines);
  if (exception === undefined) {
    if (frame.test(head)) return '';
    // A first line that ends like this is only a heading for the next.
    const isHeading = /[:\]]$/.test(head) && next !== '' && !frame.test(next);
    return isHeading ? `${withoutContext(head)} ${next.trim()}` : withoutContext(head);
  }
  const named = exception.replace(thread, '');
  const isHead = head === exception || frame.test(head) || /^[^\s\\/]*[\\/]\S+:\d+$/.test(head);
  const whole = isHead ? named : withReason(withoutContext(head), named);
  const last = lines.findLast((line) => cause.test(line))?.replace(cause, '') ?? '';
  return last === '' || whole.includes(last) ? whole : `${whole}; caused by ${last}`;
}

/** Python puts the exception below its frames, all others above. */
function exceptionIn(lines: readonly string[]): string | undefined {
  const begin = lines.findLastIndex((line) => traceback.test(line));
  if (begin !== -1) return lines.slice(begin).find((line) => /^\S/.test(line) && !frame.test(line));
  return lines.find((line) => exceptionName.test(line.replace(thread, '')));
}

/** The request in a line of an access log; other lines without a logger at their end. */
function withoutContext(line: string): string {
  return accessLog.exec(line)?.[1] ?? line.replace(javaLogger, '');
}

/** One line without control, bidirectional or invisible characters. */
function plain(text: string): string {
  const line = text.slice(0, messageMax).replace(/[\p{C}\s]{2,}|[^\S ]|\p{C}/gu, ' ').trim();
  if (text.length <= messageMax) return line;
  return `${line.slice(0, messageMax - 1).replace(/[\ud800-\udbff]$/, '').trimEnd()}…`;
}
