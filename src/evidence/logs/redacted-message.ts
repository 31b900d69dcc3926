import type { Redactor } from '../../redaction/redactor.ts';
import { logMessageOf } from '../../statistics/logs/log-message.ts';

/**
 * The message of a line as it was logged, without secrets. The whole line is redacted first: the
 * text that gives a secret away may be outside the message.
 */
export function redactedMessage(line: string, redact: Redactor['redact']): string {
  const masked = redact(line);
  return redact(logMessageOf(masked).message || masked);
}
