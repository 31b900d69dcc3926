import { createHash } from 'node:crypto';
import { fieldsOf, lenient, plainObject, text } from '../../lib/parse.ts';
import { shortened } from '../../lib/shortened.ts';

/** A part of a pod template, for comparing one revision with the next. */
export interface TemplatePart {
  /** "image of app", "memory limit of app", "environment variable MODE of app" */
  readonly name: string;
  /** The value as shown; null if it may be a secret or means nothing by itself. */
  readonly shown: string | null;
  /** A hash of the value, so that values can be compared without keeping them. */
  readonly digest: string;
}

type Members = Readonly<Record<string, unknown>>;

const partsMax = 300;
const shownMax = 200;
/** 132 bits, ample for thousands of parts without an adversary. */
const digestLength = 22;

/** Set by `kubectl rollout restart`, which changes nothing else. */
const restartedAt = 'kubectl.kubernetes.io/restartedAt';
export const restartByHand = 'time of a restart by hand';
/** Hashes of the template itself. */
const ownLabels = new Set(['pod-template-hash', 'controller-revision-hash']);
/** Members of a container that get parts of their own, or none. */
const ownMembers = new Set(['name', 'image', 'resources', 'env']);
/** Defaults that the server fills in and that differ between its versions. */
const serverDefaults = new Set(['terminationMessagePath', 'terminationMessagePolicy']);

/**
 * Splits a pod template (kubernetes/api: core/v1 PodTemplateSpec) into parts. Values other than
 * images and resource amounts are kept only as digests, since environments hold passwords.
 */
export function templateParts(template: unknown): TemplatePart[] {
  const { metadata, spec } = members(template);
  const { labels, annotations } = members(metadata);
  const { containers, initContainers, ...others } = members(spec);
  const parts = [
    ...listed(containers).flatMap((each) => containerParts(each)),
    ...listed(initContainers).flatMap((each) => containerParts(each)),
    ...entriesOf(others).map(([name, value]) => part(wordsOf(name), value)),
    ...entriesOf(labels).filter(([name]) => !ownLabels.has(name))
      .map(([name, value]) => part(`label ${name}`, value)),
    ...entriesOf(annotations).map(([name, value]) =>
      name === restartedAt ? part(restartByHand, value) : part(`annotation ${name}`, value)),
  ];
  return parts.slice(0, partsMax);
}

function containerParts(container: Members): TemplatePart[] {
  const of = `of ${nameOf(container)}`;
  const resources = members(container['resources']);
  const amounts = (['limits', 'requests'] as const).flatMap((kind) => {
    return entriesOf(resources[kind]).map(([name, value]) =>
      part(`${name} ${kind.slice(0, -1)} ${of}`, value, shownOf(value)));
  });
  const { image } = container;
  return [
    part(`image ${of}`, image, shownOf(image)),
    ...amounts,
    ...listed(container['env']).map((variable) =>
      part(`environment variable ${nameOf(variable)} ${of}`, variable)),
    ...entriesOf(container).filter(([name]) => !ownMembers.has(name) && !serverDefaults.has(name))
      .map(([name, value]) => part(`${wordsOf(name)} ${of}`, value)),
  ];
}

function part(name: string, value: unknown, shown: string | null = null): TemplatePart {
  const digest = createHash('sha256').update(toJson(value)).digest('base64');
  return {
    name: shortened(name, shownMax), digest: digest.slice(0, digestLength),
    shown: shown === null ? null : shortened(shown, shownMax),
  };
}

function shownOf(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

/** The value as JSON; empty if it is nested too deeply. */
function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch (error) {
    if (error instanceof RangeError) return '';
    throw error;
  }
}

/** "liveness probe" for `livenessProbe` */
function wordsOf(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function nameOf(value: Members): string {
  return fieldsOf(value, 'template')('name', lenient(text, '?'));
}

function members(value: unknown): Members {
  return lenient(plainObject, {})(value, 'template');
}

function listed(value: unknown): Members[] {
  return Array.isArray(value) ? value.slice(0, partsMax).map((each) => members(each)) : [];
}

function entriesOf(value: unknown): [string, unknown][] {
  return Object.entries(members(value)).slice(0, partsMax);
}
