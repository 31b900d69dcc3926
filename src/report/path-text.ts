/** The path of a report in words. */
import { labelOf, type LabelSet } from '../alert/labels.ts';
import { formatQuantity } from '../lib/quantity.ts';
import type { HopFault, HopHealth, Path, PathHop } from './path.ts';
import { capital, enumerated } from './plain-text.ts';
import { shownText } from './shown-text.ts';
import { formatMoment, momentOf } from './time-text.ts';

const nameMax = 80;
const labelsShownMax = 3;

/** `shop → haproxy be_inventory → inventory: calls take 1.9 s since 00:15:40 UTC`. */
export function pathText({ hops, origin }: Path, now: number): string {
  const named = hops.map((hop, index) =>
    index === origin || hop.state === 'innocent' ? hopText(hop, now) : hopName(hop));
  return named.join(' → ');
}

/** `shop → haproxy be_inventory → inventory`, and what fails there if that is wanted. */
export function pathToOrigin({ hops, origin }: Path, now: number, hasFault: boolean): string {
  return hops.slice(0, (origin ?? hops.length) + 1).map((hop, index) =>
    (index === origin && hasFault ? hopText(hop, now) : hopName(hop))).join(' → ');
}

/** A hop with what fails there, and for who calls it or waits for it, or what shows it works. */
export function hopText(hop: PathHop, now: number): string {
  const { works, state } = hop;
  const failure = failureOf(hop);
  if (failure !== null) {
    return `${[failure.main, ...failure.more].join(', ')}${sinceText(hop.since, now)}`;
  }
  const shown = state === 'innocent' && works !== null ? healthText(works) : '';
  return shown === '' ? hopName(hop) : `${hopName(hop)}: ${shown}`;
}

/** What fails there most, with the hop's name, and what its callers suffer; null for nothing. */
function failureOf(hop: PathHop): { readonly main: string; readonly more: string[] } | null {
  const { faults: [fault, ...others], state } = hop;
  if (state !== 'failing' || fault === undefined) return null;
  const called = others.find((each) => each.seen_by === 'client') ??
    others.find((each) => each.kind === 'slow');
  return {
    main: `${oneOfText(hop)}: ${faultText(fault)}`,
    more: called === undefined ? [] : [faultText(called)],
  };
}

/**
 * {@link hopText} in two: what fails there, and what its callers suffer since when, unless that is
 * when the problem began, in ms.
 */
export function hopTexts(
  hop: PathHop,
  { now, beganMs }: { readonly now: number; readonly beganMs: number | null },
): readonly [string, string] {
  const failure = failureOf(hop);
  if (failure === null) return [hopText(hop, now), ''];
  const isThen = beganMs !== null && Math.abs(momentOf(hop.since, 0) - beganMs) < sameMs;
  const since = isThen ? '' : sinceText(hop.since, now);
  return [failure.main, capital(`${failure.more.join(', ')}${since}`.trim())];
}

/** `inventory itself is up and answers its probe; calls do not reach it (error ENOTFOUND).` */
export function innocenceTexts({ hops }: Path): { readonly text: string; readonly at: number }[] {
  return hops.flatMap((hop, at) => {
    const before = hops[at - 1];
    if (before === undefined || hop.state !== 'innocent' || hop.works === null) return [];
    const shown = healthText(hop.works);
    if (shown === '') return [];
    const name = hopName(hop);
    const [fault] = before.faults;
    const wrong = hop.relation === 'measured' ? `only the ${hopName(before)} is gone`
      : fault?.kind === 'unreachable' ? `calls do not reach it${partText(fault.labels)}`
      : fault?.kind === 'link_down' ? `${hopName(before)} has lost its link to it` : null;
    const works = hop.relation === 'measured' ? `${name} works:` : `${name} itself`;
    return [{ text: `${works} ${shown}${wrong === null ? '' : `; ${wrong}`}.`, at }];
  });
}

/** `payments: 5/s requests fail since 00:15:40 UTC`, for each that fails beside the path. */
export function besideTexts({ beside = [] }: Path, now: number): readonly string[] {
  return beside.flatMap(({ faults: [fault], since, ...each }) => fault === undefined ? []
    : [`${hopName(each)}: ${faultText(fault)}${sinceText(since, now)}`]);
}

function hopName({ component }: Pick<PathHop, 'component'>): string {
  return shownText(component, nameMax);
}

/** `payments 10.0.0.7:8080, one of 10 instances`; the name alone of what there is one of. */
function oneOfText(hop: PathHop): string {
  const { one_of: all = null } = hop;
  return all === null ? hopName(hop) : `${hopName(hop)}, one of ${all} instances`;
}

/** Moments that are no more apart are told once. */
const sameMs = 60_000;

/** ` since 00:15:40 UTC`; empty if that is unknown. */
function sinceText(since: string | null, now: number): string {
  return since === null ? '' : ` since ${formatMoment(since, now, true)}`;
}

/** What fails, as what stands after the name of the hop: `2.07/s requests fail (code 504)`. */
export function faultText(fault: HopFault): string {
  const until = fault.until === null || fault.kind === 'fails' || fault.kind === 'slow' ? ''
    : ` until ${formatMoment(fault.until, momentOf(fault.until, 0), true)}`;
  return `${nowText(fault)}${until}`;
}

function nowText(fault: HopFault): string {
  const { kind, what, value, before, limit, labels, seen_by: by } = fault;
  const unit = unitOf(fault);
  const quantity = (number: number | null): string =>
    number === null ? '' : formatQuantity(number, unit);
  const noun = by === 'client' ? 'call' : 'request';
  const part = partText(labels);
  switch (kind) {
    case 'down':
      if (by === 'probe') return 'does not answer its probe';
      return `${fault.metric === 'up' ? 'does not answer' : 'down'} (${fault.metric} is 0)`;
    case 'fails':
      return `${quantity(value)} ${failText(fault)}`;
    case 'slow':
      return `${noun}s take ${quantity(value)}${part}` +
        (before === null ? '' : `, before ${quantity(before)}`) + busierText(fault);
    case 'unreachable':
      return `${quantity(value)} calls do not reach it${part}`;
    case 'full':
      return `${quantity(value)} of ${quantity(limit)} ${what ?? ''} in use${part}`;
    case 'limit_lowered':
      return `the limit of its ${what ?? 'use'} was lowered from ${quantity(before)} to ` +
        `${quantity(limit)}, ${quantity(value)} in use`;
    case 'locked':
      if (what === 'table') return `a lock keeps everybody from a table${part}`;
      return `a session keeps its locks and has done nothing for ${quantity(value)}${part}`;
    case 'alarm':
      return `alarm${what === null ? '' : ` of ${what}`}${part}`;
    case 'no_consumer':
      return `${value === 0 ? 'no consumer' : `${quantity(value)} consumers`}${part}`;
    case 'link_down':
      return `no link to its primary${part}`;
    case 'waiting':
      return `${quantity(value)} waiting by ${shownText(fault.metric, nameMax)}${part}` +
        (before === null ? '' : `, before ${quantity(before)}`);
    case 'holds':
      return `it holds ${quantity(value)} ${what ?? ''}` +
        (before === null ? '' : `, before ${quantity(before)}`);
    case 'repeats':
      return `${quantity(value)} calls of ${shownText(what ?? '', nameMax)} for each request` +
        (before === null ? '' : `, before ${quantity(before)}`) + ', with no more requests';
    case 'busy':
      return `its ${what ?? 'machine'}${part} is in use ${percent(value)} of the time` +
        (before === null ? '' : `, before ${percent(before)}`);
    case 'throttled':
      return `its ${what ?? 'processor'} runs at ${quantity(value)}` +
        (before === null ? '' : `, before ${quantity(before)}`);
    case 'uses':
      return `${usedText(fault, value)}` +
        (before === null ? '' : `, before ${usedText(fault, before)}`);
    case 'no_server':
      return `${value === 0 ? 'no server' : `${quantity(value)} servers`} up${part}`;
  }
}

function percent(share: number | null): string {
  return share === null ? 'much' : formatQuantity(share, 'ratio');
}

function usedText({ what, metric }: HopFault, value: number | null): string {
  const amount = value ?? Number.NaN;
  if (what !== 'disk') return `uses ${formatQuantity(amount, 'cores')}`;
  const verb = /write/u.test(metric) ? 'writes' : 'reads';
  return `${verb} ${formatQuantity(amount, 'bytes_per_second')}`;
}

/** `requests fail (code 504)` */
export function failText({ seen_by: by, labels }: HopFault): string {
  return `${by === 'client' ? 'call' : 'request'}s fail${partText(labels)}`;
}

/** From this many times as many on, the text says that what is slow has more to do. */
const busierMin = 1.3;

function busierText({ rate = null, rate_before: before = null }: HopFault): string {
  if (rate === null || before === null || rate < busierMin * before) return '';
  const [now, was] = [rate, before].map((each) => formatQuantity(each, 'per_second'));
  return `, at ${now} instead of ${was}`;
}

function unitOf({ kind, what }: HopFault): string | null {
  if (kind === 'slow' || (kind === 'locked' && what !== 'table')) return 'seconds';
  if (kind === 'fails' || kind === 'unreachable') return 'per_second';
  if (kind === 'throttled') return 'hertz';
  return what === 'memory' || what === 'disk' ? 'bytes' : 'count';
}

/** ` (error ECONNREFUSED, operation order)`; empty without labels. */
function partText(labels: LabelSet): string {
  const shown = Object.keys(labels).slice(0, labelsShownMax)
    .map((name) => `${shownText(name, 40)} ${shownText(labelOf(labels, name) ?? '', 60)}`);
  return shown.length === 0 ? '' : ` (${shown.join(', ')})`;
}

/** `up, answers its probe, 13/s of calls to it succeed`; empty where nothing shows it. */
function healthText(
  { targets, answers_probe: probe, is_reached: isReached, successes }: HopHealth,
): string {
  const parts = [
    ...(targets === null ? [] : [targets.total === 1 ? 'is up'
      : `${targets.up} of ${targets.total} are up`]),
    ...(probe === true ? ['answers its probe'] : []),
    ...(isReached === true ? ['is reached by its exporter'] : []),
    ...(successes === null ? [] : [`${formatQuantity(successes, 'per_second')} calls succeed`]),
  ];
  return enumerated(parts);
}
