/**
 * External labels, from the answer of `/api/v1/status/config`: the configuration in YAML, as
 * Prometheus writes it.
 */
import { labelOf, type LabelSet } from '../alert/labels.ts';

/**
 * The labels that are to be read stand in its first section, `global`. The whole may be megabytes.
 */
export const configBytesWanted = 4096;

/**
 * The external labels, which a Prometheus adds to all alerts that it sends, from the beginning of
 * the answer. None if there are none, and for a server that has no such answer.
 */
export function readExternalLabels(body: Buffer): LabelSet {
  return Object.fromEntries(membersIn(body).map(([, name = '', scalar = '']) =>
    [name, plainText(scalar)]));
}

/** The same answer with nothing but the external labels: recordings hold no addresses. */
export function onlyExternalLabels(body: Buffer): Buffer {
  const lines = ['global:', sectionStart, ...membersIn(body).map(([line]) => line)];
  return Buffer.from(JSON.stringify({ data: { yaml: `${lines.join('\n')}\n` } }));
}

const sectionStart = '  external_labels:';

/** The lines of the section that are read, with the name and the value of each. */
function membersIn(body: Buffer): RegExpExecArray[] {
  const lines = yamlIn(body.toString('utf8')).split('\n');
  const from = lines.indexOf(sectionStart) + 1;
  const members: RegExpExecArray[] = [];
  for (const line of from === 0 ? [] : lines.slice(from)) {
    const member = /^ {4}([^\s:"']+): (.*)$/u.exec(line);
    if (member === null) break;
    members.push(member);
  }
  return members;
}

/** Names of the external labels that the alert has with another value. */
export function contradicting(external: LabelSet, alert: LabelSet): string[] {
  return Object.keys(external).filter((name) =>
    ![null, external[name]].includes(labelOf(alert, name)));
}

/** The text of the JSON string `yaml`, up to the last whole line that has arrived. */
function yamlIn(answer: string): string {
  const [, escaped = ''] = /"yaml":"((?:[^"\\]|\\.)*)/su.exec(answer) ?? [];
  try {
    return JSON.parse(`"${escaped.slice(0, escaped.lastIndexOf('\\n'))}"`) as string;
  } catch {
    return '';
  }
}

/** A YAML scalar on one line: plain, or quoted once or twice. */
function plainText(scalar: string): string {
  if (scalar.startsWith("'")) return scalar.slice(1, -1).replaceAll("''", "'");
  if (!scalar.startsWith('"')) return scalar;
  try {
    return JSON.parse(scalar) as string;
  } catch {
    return scalar;
  }
}
