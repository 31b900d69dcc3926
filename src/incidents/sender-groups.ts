import { Posting, type SenderGroup } from './alert-index.ts';
import { isDistinctive } from './group-key.ts';

interface Keyed {
  readonly isDistinctive: boolean;
  readonly byName: Map<string | null, SenderGroup>;
}

/** The groups of all open alerts. A key is parsed once for all alerts that have it. */
export class SenderGroups {
  readonly #byKey = new Map<string, Keyed>();

  /** The group of an alert; has to be released with {@linkcode SenderGroups.release}. */
  take(key: string, alertName: string): SenderGroup {
    let keyed = this.#byKey.get(key);
    if (keyed === undefined) {
      this.#byKey.set(key, (keyed = { isDistinctive: isDistinctive(key), byName: new Map() }));
    }
    const name = keyed.isDistinctive ? null : alertName;
    let group = keyed.byName.get(name);
    if (group === undefined) {
      keyed.byName.set(name, (group = { key, name, posting: new Posting(), uses: 0 }));
    }
    group.uses += 1;
    return group;
  }

  release(group: SenderGroup): void {
    group.uses -= 1;
    if (group.uses > 0) return;
    const keyed = this.#byKey.get(group.key);
    keyed?.byName.delete(group.name);
    if (keyed?.byName.size === 0) this.#byKey.delete(group.key);
  }
}
