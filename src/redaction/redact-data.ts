import { isLeftAlone } from './left-alone.ts';
import type { Redactor } from './redactor.ts';
import { isSecretName } from './secret-names.ts';

const depthMax = 32;

/**
 * A copy of plain data with every text redacted. A text whose member has the name of a secret is
 * masked as a whole: as name and value are separate texts, no rule would see them together. Numbers
 * are kept.
 */
export function redactData(value: unknown, redactor: Pick<Redactor, 'redact'>): unknown {
  return redacted(value, redactor.redact, depthMax);
}

function redacted(value: unknown, redact: Redactor['redact'], depth: number): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.map((item: unknown) => redacted(item, redact, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([name, member]: [string, unknown]) => {
    const isSecret = typeof member === 'string' && isSecretName(name) && !isLeftAlone(member);
    return [redact(name), isSecret ? valueOf(member, redact) : redacted(member, redact, depth - 1)];
  }));
}

/** Masks the whole value with the rule for named values. */
function valueOf(member: string, redact: Redactor['redact']): string {
  const quoted = `password="${member.slice(0, 1024).replace(/["\n]/g, ' ')}"`;
  return redact(quoted).slice('password="'.length, -1);
}
