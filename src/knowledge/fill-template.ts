/**
 * Fills an alert's own label values into templates. A value is hostile text: in PromQL it becomes a
 * string literal, in the shell a single-quoted word, and never anything else.
 *
 * `{pod}` stands for the label `pod`, `{pod|pod_name}` for the first of them that the alert has,
 * `{instance.host}` for the host in an address or URL, `{instance.name}` for that host unless it is
 * an IP address, `{instance.tls}` for that host with the port on which it serves TLS,
 * `{instance.address}` for that host with the port of a URL, which is the server's own and not its
 * exporter's, or without any, `{server.remote}` for that host unless it is a loopback address,
 * `{server.port|5432}` for the port, or else this number, and `{pod.workload}` for what the pod's
 * name was made from.
 * `exported_pod` takes precedence over `pod`, which is then the exporter's own.
 */
import { isIP } from 'node:net';
import { labelOf, type LabelSet } from '../alert/labels.ts';
import { usuallyNamed } from '../alert/usual-name.ts';
import { escapeQuoted, escapeRegex } from '../lib/promql-string.ts';
import { isFitForShell, shellWord } from '../lib/shell-word.ts';
import { workloadOfPod } from '../statistics/names/workload-name.ts';

const part = '[a-z_]+(?:\\.(?:host|name|tls|address|remote|port|workload))?';
const marker = new RegExp(`(?<!%)\\{(${part}(?:\\|${part})*(?:\\|\\d+)?)\\}`, 'giu');
const selector = /\{((?:\s*,?\s*\w+\s*(?:=~|!~|!=|=)\s*"[^"]*")+)\s*\}/gu;
const matcher = /(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/gu;

/** Labels that hold the address of a machine. */
const isAddress: ReadonlySet<string> = new Set(['instance', 'exported_instance', 'host', 'node']);
const loopback = /^(?:localhost$|localhost\.localdomain$|127\.|0\.0\.0\.0$|::1?$)/iu;

/** Longer values are treated as missing: they name nothing an operator could act on. */
const valueLengthMax = 1024;

const loneSurrogate = /\p{Cs}/u;

/** The names of all labels that a template asks for, fallbacks included. */
export function labelsIn(template: string): string[] {
  return [...template.matchAll(marker)].flatMap(([, names = '']) => names.split('|'))
    .filter((name) => !/^\d/u.test(name));
}

/**
 * Fills in a PromQL template. A matcher whose label the alert does not have is left out, which
 * widens the query; null when a selector would lose every matcher that ties it to the alert.
 */
export function fillPromql(template: string, labels: LabelSet): string | null {
  let isTied = true;
  const oneLine = template.trim().replace(/\s*\n\s*/gu, ' ').replaceAll('( ', '(');
  const filled = oneLine.replace(selector, (_, inner: string) => {
    const matchers = [...inner.matchAll(matcher)].map(([text, , operator = '', value = '']) => {
      if (labelsIn(value).length === 0) return { text, isOwn: false };
      const isPattern = operator.endsWith('~');
      const own = fillEach(value, labels, (found) =>
        escapeQuoted(isPattern ? escapeRegex(found) : found),
      );
      const filledIn = own === null ? null : text.replace(`"${value}"`, () => `"${own}"`);
      return { text: filledIn, isOwn: true };
    });
    const kept = matchers.filter(({ text }) => text !== null);
    const asked = matchers.some(({ isOwn }) => isOwn);
    if (asked && !kept.some(({ isOwn }) => isOwn)) isTied = false;
    return `{${kept.map(({ text }) => text).join(',')}}`;
  });
  return isTied ? filled : null;
}

/**
 * Fills in a POSIX shell template; null when a label is missing or its value is not safe to paste
 * into a terminal. Inside the template's own single quotes (a command for another host's shell), a
 * value is quoted for both shells. A loopback address counts as missing: in a reader's terminal it
 * is the reader's own machine.
 */
export function fillShell(template: string, labels: LabelSet): string | null {
  let isSafe = true;
  const filled = fillEach(template, remoteLabels(labels), (value, offset) => {
    const isWord = offset === 0 || /\s/u.test(template.charAt(offset - 1));
    if (!isFitForShell(value) || (isWord && value.startsWith('-'))) isSafe = false;
    const isNested = template.slice(0, offset).split("'").length % 2 === 0;
    return isNested ? shellWord(value).replaceAll("'", "'\\''") : shellWord(value);
  });
  return isSafe ? filled : null;
}

/**
 * The labels by their usual names, without addresses that only an exporter's own machine can use.
 * The machine that an exporter reports on is the host, where it names one.
 */
function remoteLabels(labels: LabelSet): LabelSet {
  const remote = Object.fromEntries(Object.entries(usuallyNamed(labels))
    .filter(([name, value]) => !isAddress.has(name) || !loopback.test(hostIn(value))));
  const machines = labelOf(remote, 'instance') ? ['host'] : ['host', 'node'];
  const machine = machines.map((name) => labelOf(remote, name)).find((value) => value) ?? '';
  return { ...remote, [machineKey]: machine };
}

/** No name of a label; `{instance.host}` is this machine where a command is filled in. */
const machineKey = '{machine}';

function fillEach(
  template: string,
  labels: LabelSet,
  render: (value: string, offset: number) => string,
): string | null {
  let isComplete = true;
  const filled = template.replace(marker, (_, names: string, offset: number) => {
    const value = firstOf(names, labels);
    if (value === null) isComplete = false;
    return value === null ? '' : render(value, offset);
  });
  return isComplete ? filled : null;
}

const partOf: Readonly<Record<string, (value: string) => string>> = {
  host: hostIn, name: nameOf, tls: tlsOf, address: addressOf, remote: remoteOf, port: portOf,
  workload: workloadOfPod,
};

function firstOf(names: string, labels: LabelSet): string | null {
  for (const name of names.split('|')) {
    if (/^\d/u.test(name)) return name;
    const [label = '', asked] = name.split('.');
    const machine = name === 'instance.host' ? labelOf(labels, machineKey) : null;
    const raw = machine || labelOf(labels, `exported_${label}`) || labelOf(labels, label) || '';
    if (raw.length > valueLengthMax || loneSurrogate.test(raw)) continue;
    const value = asked === undefined ? raw : partOf[asked]?.(raw) ?? '';
    if (value !== '') return value;
  }
  return null;
}

/** The host of `host:9100`, `[::1]:9100` or `https://host:8443/path`. */
export function hostIn(address: string): string {
  const authority = address.replace(/^[a-z][a-z0-9+.-]*:\/\//iu, '').replace(/[/?#].*$/su, '');
  const [, bracketed] = /^\[([^\]]*)\]/u.exec(authority) ?? [];
  if (bracketed !== undefined) return bracketed;
  return authority.split(':').length > 2 ? authority : authority.replace(/:\d*$/u, '');
}

/** Empty for an IP address. */
function nameOf(address: string): string {
  const host = hostIn(address);
  return isIP(host) === 0 ? host : '';
}

/** Port 443 unless the address names one; the port of an `http://` URL serves no TLS. */
function tlsOf(address: string): string {
  const host = hostIn(address);
  const [, port = '443'] = /^(?:https:\/\/)?[^/]*?\]?:(\d+)(?:[/?#]|$)/u.exec(address) ?? [];
  return host === '' ? '' : `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Empty for an address that only the exporter's own machine can use. */
function remoteOf(address: string): string {
  const host = hostIn(address);
  return loopback.test(host) ? '' : host;
}

function portOf(address: string): string {
  return /(?:^[^:]*|\]):(\d+)$/u.exec(address)?.[1] ?? '';
}

/** The exporters of most installations listen here, beside a server on its own usual port. */
const usualExporterPort = /^(?:9\d{3})?$/u;

/**
 * `redis://10.0.0.7:6380` is the server's own address; the port of `10.0.0.7:9121` is not. Empty
 * for an exporter on an unusual port: its server's port may be as unusual.
 */
function addressOf(address: string): string {
  const [, own] = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?([^/?#]*)/iu.exec(address) ?? [];
  if (own !== undefined) return own;
  if (!usualExporterPort.test(portOf(address))) return '';
  const host = hostIn(address);
  return host.includes(':') ? `[${host}]` : host;
}
