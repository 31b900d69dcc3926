import { labelOf, type LabelSet } from '../alert/labels.ts';
import type { Store } from '../statistics/names/stores.ts';

/** The unit of a number. A `ratio` is 0 to 1, a `percent` 0 to 100, a `state` 0 or 1. */
type Unit =
  | 'ratio' | 'percent' | 'bytes' | 'bytes_per_second' | 'seconds' | 'count' | 'per_second'
  | 'state';

/**
 * Values from which on an answer supports a cause, and from which on it rules it out, absent where
 * no value does. The highest of several samples decides where a cause makes the value high,
 * otherwise the lowest; samples in between decide nothing.
 */
export type Bounds =
  | { readonly atLeast: number; readonly notUpTo?: number }
  | { readonly atMost?: number; readonly notFrom?: number };

/** Text with `{label}` in place of the alert's own values: see `fill-template.ts`. */
export interface Template {
  readonly kind: 'promql' | 'shell';
  readonly template: string;
}

/** A query whose answer says whether a cause holds. */
export interface TestQuery extends Template {
  readonly kind: 'promql';
  readonly bounds: Bounds;
}

/** A command whose answer a person reads. */
export interface Command extends Template {
  readonly kind: 'shell';
}

/** Its test is a query, or a command with the answer that supports the cause. */
export type Cause = CauseText & (
  | { readonly test: TestQuery; readonly confirms?: never }
  | { readonly test: Command; readonly confirms: string }
);

interface CauseText {
  readonly id: string;
  readonly cause: string;
  /** How the cause leads to the alert. */
  readonly mechanism: string;
  /** What the answer means beyond the bounds of the test. */
  readonly note?: string;
  /** The answer that rules it out, where that is more than the opposite. */
  readonly refutes?: string;
  /** The test asks for the cause itself and not for a sign of it. */
  readonly isDirect?: true;
  /** The same, unless another cause is supported as well, which would show in this test, too. */
  readonly isDirectAlone?: true;
  /** The test by calls through clients of stores; it supports the cause or says nothing. */
  readonly ofStores?: { readonly test: TestQuery; readonly note: string };
  /** What the answer names is what the alert's own component calls. */
  readonly namesCallee?: true;
  /** It lies in what the alert's own component calls or waits for, so it says to look there. */
  readonly isElsewhere?: true;
  /** It says where the problem is and not why, so it rivals no cause that does. */
  readonly isLocation?: true;
  /** The answer is how long ago something happened, which was when the problem began or not. */
  readonly isAge?: true;
  /** It lies between the alert's own component and what the answer names. */
  readonly isOnConnection?: true;
  /** The product that it is for; dropped for an alert on another one. */
  readonly store?: Store;
  /** Dropped where the rule's expression matches this: then it only says what the alert says. */
  readonly unlessRead?: RegExp;
  /** True when the alert's own labels already say that this is the cause. */
  readonly when?: (labels: LabelSet) => boolean;
}

export interface Step {
  readonly action: string;
  readonly why: string;
  readonly command?: Template;
  /** What its answer says of the problem, where that is not plain. */
  readonly expected?: string;
  /** The product that it is for; dropped for an alert on another one. */
  readonly store?: Store;
  /** The product that it is for; dropped for an alert that does not name it. */
  readonly onlyFor?: Store;
  /** Absent when the step only reads. */
  readonly risk?: string;
  readonly undo?: string;
}

/** What is known about alerts that mean the same thing, whatever they are called. */
export interface Family {
  /** Kebab case, unique. */
  readonly id: string;
  /** Tested against the alert's name in lower case, reduced to its letters and digits. */
  readonly names?: RegExp;
  /** What the rule has to read, where it is known: the names may mean something else as well. */
  readonly reads?: RegExp;
  /** Tested against the rule's expression when no family knows the name. */
  readonly metrics?: RegExp;
  /** What the alert says about the world. */
  readonly meaning: string;
  /** What it leads to; null where that depends on what the alert is about. */
  readonly impact: string | null;
  /** Its alerts are about the state of pods, so what Kubernetes reports of these explains them. */
  readonly isOfPods?: true;
  /** Its alerts begin long after their cause did: a disk fills up, a certificate or backup ages. */
  readonly isGradual?: true;
  /** How to read the number the rule compares; absent when rules of this family differ. */
  readonly unit?: Unit;
  /** Most frequent first. */
  readonly causes: readonly Cause[];
  /** Safest first. */
  readonly steps: readonly Step[];
}

/** Whole names in lower case, joined by `|`, as a regular expression over compacted names. */
export function names(alternatives: string): RegExp {
  return new RegExp(`^(?:${alternatives.replace(/\s+/g, '')})$`, 'u');
}

/** Whole metric names, joined by `|`, as a regular expression over expressions. */
export function metrics(alternatives: string): RegExp {
  return new RegExp(`(?<![\\w:])(?:${alternatives.replace(/\s+/g, '')})(?![\\w:])`, 'u');
}

export function promql(template: string): Template;
export function promql(template: string, bounds: Bounds): TestQuery;
export function promql(template: string, bounds?: Bounds): Template {
  return { kind: 'promql', template, ...(bounds !== undefined && { bounds }) };
}

/** Supported from 1 on, ruled out at 0: something is counted, or a state holds. */
export function ifSome(template: string): TestQuery {
  return promql(template, { atLeast: 1, notUpTo: 0 });
}

/** Supported at 0, ruled out from 1 on: something is missing, or a state does not hold. */
export function ifNone(template: string): TestQuery {
  return promql(template, { atMost: 0, notFrom: 1 });
}

export function shell(template: string): Command {
  return { kind: 'shell', template };
}

/** A command for a host. In its single quotes, labels are quoted for the shells of both hosts. */
export function ssh(command: string, host = '{instance.host}'): Command {
  return shell(`ssh -- ${host} '${command}'`);
}

/** A check that is true when one of the labels matches: the alert itself names the cause. */
export function labelMatches(
  labelNames: readonly string[],
  pattern: RegExp,
): NonNullable<Cause['when']> {
  return (labels) => labelNames.some((name) => pattern.test(labelOf(labels, name) ?? ''));
}
