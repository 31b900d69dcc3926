import { labelOf } from '../../../alert/labels.ts';
import { isNamespace, isSameWorld, serviceIn, type Thing } from './things.ts';

/** How a value names a thing, surest first. */
export type NamedBy = 'address' | 'name' | 'product';

interface Found {
  readonly thing: Thing;
  readonly by: NamedBy;
}

/** What a text calls a product: null where it names none, or several. */
type ProductOf = (text: string) => string | null;

const valueMax = 200;
/** Parts of names that say what kind of thing it is and not which. */
const kindWords: ReadonlySet<string> = new Set([
  'be', 'backend', 'upstream', 'pool', 'svc', 'service', 'server', 'srv', 'exporter', 'prometheus',
  'metrics', 'job', 'target', 'cluster', 'instance', 'docker', 'kubernetes',
]);
const databases: ReadonlySet<string> = new Set([
  'postgresql', 'mysql', 'mongodb', 'sqlserver', 'oracle', 'cockroachdb', 'cassandra',
]);
const address = /^(?:[a-z][\w+.-]*:\/\/)?(?:[^@/]*@)?(\[[0-9a-f:]+\]|[^:/?#\s]+)(?::(\d{1,5}))?/iu;
const isIp = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[.*\])$/u;

/** `127.0.0.1:8080` of `http://127.0.0.1:8080/health`; null without a port. */
export function addressIn(value: string): string | null {
  const [, host = '', port] = address.exec(value.slice(0, valueMax)) ?? [];
  return port === undefined ? null : `${host.toLowerCase()}:${port}`;
}

/** `leaf-07` of `leaf-07.search.example:7071`; null for a number, and where there is no name. */
export function hostName(value: string): string | null {
  const [, host = ''] = address.exec(value.slice(0, valueMax)) ?? [];
  const [first = ''] = host.toLowerCase().split('.');
  return isIp.test(host) || first === '' || first === 'localhost' ? null : first;
}

/**
 * What is left of a name without its kind, number and surroundings: `payments` of `be_payments`,
 * `payments-1`, `payments.shop.svc:8080` and `http://payments/charge`; empty if nothing is left.
 */
function plainName(value: string): string {
  const [, host = ''] = address.exec(value.slice(0, valueMax)) ?? [];
  if (isIp.test(host)) return '';
  const [first = ''] = host.toLowerCase().split('.');
  const parts = first.split(/[^a-z0-9]+/u).filter((part) => part !== '');
  const distinctive = parts.filter((part) => !kindWords.has(part));
  const kept = distinctive.length === 0 ? parts : distinctive;
  const last = kept.at(-1) ?? '';
  const unnumbered = kept.length > 1 && /^\d+$/u.test(last) ? kept.slice(0, -1)
    : [...kept.slice(0, -1), last.replace(/(?<=[a-z])\d+$/u, '')];
  return unnumbered.join('-');
}

/** Finds what a value names, seen from the thing whose series has it. */
export class Directory {
  readonly things: readonly Thing[];
  readonly #productOf: ProductOf;
  readonly #byAddress = new Map<string, Thing[]>();
  readonly #byName = new Map<string, Thing[]>();
  readonly #byProduct = new Map<string, Thing[]>();
  /** By the names of the hosts that programs run on: `leaf-07` of `leaf-07.example:7071`. */
  readonly #byHost = new Map<string, Thing[]>();

  constructor(things: readonly Thing[], productOf: ProductOf) {
    this.things = things;
    this.#productOf = productOf;
    for (const thing of things) {
      // What is watched is named after what watches it: `http://shop/health` is no prober.
      if (thing.role === 'prober' || thing.role === 'monitoring') continue;
      for (const name of namesOf(thing)) add(this.#byName, name, thing);
      const product = this.productOf(thing);
      if (product !== null) add(this.#byProduct, product, thing);
      for (const { labels } of thing.targets) {
        const at = addressIn(labelOf(labels, 'instance') ?? '');
        if (at === null) continue;
        add(this.#byAddress, at, thing);
        const host = hostName(at);
        if (host !== null && thing.role === 'app') add(this.#byHost, host, thing);
      }
    }
  }

  /**
   * The product that a thing is, or that it measures, by what its metrics call it; null if it is
   * none that is known. A program that works for one may be called like it: `kafka-worker`.
   */
  productOf({ name, programs, role }: Thing): string | null {
    return programs.map((program) => this.#productOf(`${program}_`))
      .find((product) => product !== null) ?? (role === 'exporter' ? this.#productOf(name) : null);
  }

  /** What the value names for `from`; null for nothing, several things or another environment. */
  find(value: string, from: Thing): Found | null {
    if (value === '' || value.length > valueMax) return null;
    const at = addressIn(value);
    const byAddress = at === null ? null : this.#nearest(this.#byAddress.get(at), from);
    if (byAddress !== null) return { thing: byAddress, by: 'address' };
    const name = plainName(value);
    const byName = name === '' ? null : this.#nearest(this.#byName.get(name), from);
    if (byName !== null) return { thing: byName, by: 'name' };
    const byHost = this.#nearest(this.#byHost.get(hostName(value) ?? ''), from);
    if (byHost !== null) return { thing: byHost, by: 'address' };
    const byProduct = name === '' ? null : this.findProduct(name, from);
    return byProduct && { thing: byProduct, by: 'product' };
  }

  /** The only thing that is a product that the text names; null without one. */
  findProduct(text: string, from: Thing): Thing | null {
    const product = this.#productOf(text);
    return product === null ? null : this.#nearest(this.#byProduct.get(product), from);
  }

  /** The only database in the same environment; null without one, or with several. */
  onlyDatabase(from: Thing): Thing | null {
    const all = this.things.filter((each) => each !== from && isSameWorld(from, each) &&
      databases.has(this.productOf(each) ?? ''));
    return this.#nearest(all, from);
  }

  /** The only one in the same environment: its own namespace first, then the only one elsewhere. */
  #nearest(candidates: readonly Thing[] = [], from: Thing): Thing | null {
    const same = [...new Set(candidates)].filter((each) => isSameWorld(from, each));
    const near = same.filter((each) => spaceOf(each) === spaceOf(from));
    if (near.length > 0 || same.length > 1) return near.length === 1 ? near[0] ?? null : null;
    const [only] = same;
    return only !== undefined && this.isNear(only, from) ? only : null;
  }

  /** Whether nothing tells that a thing is of another environment than the one that asks. */
  isNear(thing: Thing, from: Thing): boolean {
    if (!isSameWorld(from, thing)) return false;
    const [space, own] = [spaceOf(thing), spaceOf(from)];
    // A namespace that has what asks as well is another environment.
    return space === null || own === null || space === own ||
      !this.things.some((each) => each.name === from.name && spaceOf(each) === space);
  }
}

function spaceOf({ world }: Thing): string | null {
  const name = Object.keys(world).find(isNamespace);
  return name === undefined ? null : (world[name] ?? null);
}

function namesOf({ name, labels }: Thing): Set<string> {
  // The job of a collector is not the name of what it passes on.
  const others = labelOf(labels, 'exported_job') === null ? ['job', 'service', 'app'] : [];
  const own = [name, ...others.map((label) => serviceIn(labelOf(labels, label) ?? ''))];
  return new Set(own.map(plainName).filter((each) => each !== ''));
}

function add(index: Map<string, Thing[]>, key: string, thing: Thing): void {
  const listed = index.get(key);
  if (listed === undefined) index.set(key, [thing]);
  else if (!listed.includes(thing)) listed.push(thing);
}
