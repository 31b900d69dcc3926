import { createHash } from 'node:crypto';
import { shortened } from '../../alert/labels.ts';
import { fieldsOf, lenient, plainObject, text } from '../../lib/parse.ts';

/** A part of what a workload runs, for comparing one revision with the next. */
export interface TemplatePart {
  /** "image of app", "memory limit of app", "environment variable MODE of app" */
  readonly name: string;
  /** What it is; null where the value may be a secret, or says nothing by itself. */
  readonly shown: string | null;
  /** The same for the same value; the value cannot be told from it. */
  readonly digest: string;
}

type Members = Readonly<Record<string, unknown>>;

const partsMax = 300;
const shownMax = 200;
/** 132 bits: there are thousands of parts, and nobody looks for two that are alike. */
const digestLength = 22;

/** Written by `kubectl rollout restart`: nothing else changes. */
const restartedAt = 'kubectl.kubernetes.io/restartedAt';
export const restartByHand = 'time of a restart by hand';
/** Made of the template itself. */
const ownLabels = new Set(['pod-template-hash', 'controller-revision-hash']);
/** Members of a container that have a part of their own, or say nothing. */
const ownMembers = new Set(['name', 'image', 'resources', 'env']);
/** What a server fills in by itself, which differs between its versions. */
const fillings = new Set(['terminationMessagePath', 'terminationMessagePolicy']);

/**
 * The parts of a pod template (kubernetes/api: core/v1 PodTemplateSpec), whatever its members are:
 * values other than images and amounts are kept as digests, since environments hold passwords.
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
    ...entriesOf(annotations).map(([name, value]) => {
      return name === restartedAt ? part(restartByHand, value)
        : part(`annotation ${name}`, value);
    }),
  ];
  return parts.slice(0, partsMax);
}

function containerParts(container: Members): TemplatePart[] {
  const of = `of ${nameOf(container)}`;
  const resources = members(container['resources']);
  const amounts = (['limits', 'requests'] as const).flatMap((kind) => {
    return entriesOf(resources[kind]).map(([name, value]) => {
      return part(`${name} ${kind.slice(0, -1)} ${of}`, value, shownOf(value));
    });
  });
  const { image } = container;
  return [
    part(`image ${of}`, image, shownOf(image)),
    ...amounts,
    ...listed(container['env']).map((variable) => {
      return part(`environment variable ${nameOf(variable)} ${of}`, variable);
    }),
    ...entriesOf(container).filter(([name]) => !ownMembers.has(name) && !fillings.has(name))
      .map(([name, value]) => part(`${wordsOf(name)} ${of}`, value)),
  ];
}

function part(name: string, value: unknown, shown: string | null = null): TemplatePart {
  const digest = createHash('sha256').update(writtenOut(value)).digest('base64');
  return {
    name: shortened(name, shownMax), digest: digest.slice(0, digestLength),
    shown: shown === null ? null : shortened(shown, shownMax),
  };
}

function shownOf(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

/** Empty for what is nested deeper than can be written out. */
function writtenOut(value: unknown): string {
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
