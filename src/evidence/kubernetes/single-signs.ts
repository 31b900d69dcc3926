import { groupBy } from '../../lib/group-by.ts';
import { shownText } from '../../report/shown-text.ts';
import type { Sign } from './kubernetes-facts.ts';

/** A sign of one object, before equal signs of several pods are merged. */
export interface SingleSign extends Omit<Sign, 'who' | 'pods'> {
  /** What it is about: "container app" or "pod" for a pod, else "node n1". */
  readonly what: string;
  /** The pod's name; null if it is not about a pod. */
  readonly pod: string | null;
}

export const noDetails = {
  message: '', times: 0, exitCode: null, memoryLimit: null, sinceMs: null, lastMs: null, pod: null,
  container: null,
} as const;

const messageMax = 240;
/** How much of a longer message is kept from its beginning and from its end. */
const headMax = 100;
const tailMax = messageMax - headMax - 3;

/** Merges signs that say the same about different pods, in the order of first appearance. */
export function mergedSigns(
  signs: readonly SingleSign[],
  redact: (text: string) => string,
): Sign[] {
  const groups = groupBy(signs, (sign) =>
    JSON.stringify([sign.kind, sign.reason, sign.what, plain(sign)]));
  return [...groups.values()].map((group) => {
    const { message, ...sign } = joined(group);
    return { ...sign, message: withoutMiddle(redact(message)) };
  });
}

/** Kubernetes' messages begin with what was tried and end with why it failed. */
function withoutMiddle(message: string): string {
  const text = shownText(message, message.length);
  if (text.length <= messageMax) return text;
  const head = text.slice(0, headMax).replace(/\s\S*$/, '');
  const tail = text.slice(-tailMax).replace(/^\S*\s/, '');
  return shownText(`${head} … ${tail}`, messageMax);
}

/** The message without what differs from one pod to the next. */
function plain({ message, pod }: SingleSign): string {
  const own = message.replace('(combined from similar events): ', '');
  const same = pod === null ? own : own.replaceAll(pod, '');
  return same.replace(/[0-9a-f-]+/g, (word) => (/\d/.test(word) ? '#' : word));
}

function joined(group: readonly [SingleSign, ...SingleSign[]]): Sign {
  const { what, pod, ...sign } = group[0];
  const pods = new Set(group.map((each) => each.pod).filter((name) => name !== null)).size;
  const whose = pods > 1 ? `${pods} pods` : `pod ${pod ?? ''}`;
  const who = pod === null ? what : what === 'pod' ? whose : `${what} of ${whose}`;
  const since = group.map((each) => each.sinceMs).filter((ms) => ms !== null);
  const last = group.map((each) => each.lastMs).filter((ms) => ms !== null);
  return {
    ...sign, who: shownText(who, 200), reason: shownText(sign.reason, 80), pods,
    times: group.reduce((sum, each) => sum + each.times, 0),
    sinceMs: since.length === 0 ? null : Math.min(...since),
    lastMs: last.length === 0 ? null : Math.max(...last),
  };
}
