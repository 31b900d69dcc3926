import type { World } from '../support/sources/served-prometheus.ts';
import type { Scenario } from './scenario.ts';

/** What the sources hold if all the incidents happen in one shop, but for faults of the sources. */
export function worldOf(scenarios: readonly Scenario[]): World {
  const worlds = scenarios.map(({ world }) => world);
  const logs = worlds.flatMap((world) => world.logs ?? []);
  const clusters = worlds.flatMap(({ cluster }) => cluster ?? []);
  return {
    series: worlds.flatMap(({ series }) => series),
    expressions: joined(worlds.map(({ expressions = {} }) => expressions)),
    holding: worlds.flatMap(({ holding = [] }) => holding),
    rules: worlds.flatMap(({ rules = [] }) => rules),
    ...(logs.length > 0 && { logs }),
    ...(clusters.length > 0 && {
      cluster: {
        objects: joined(clusters.map(({ objects }) => objects)),
        logs: Object.assign({}, ...clusters.map((cluster) => cluster.logs)),
      },
    }),
  };
}

/** The lists of all records, those of the same name joined. */
function joined<T>(
  records: readonly Readonly<Record<string, readonly T[]>>[],
): Record<string, readonly T[]> {
  const lists: Record<string, readonly T[]> = {};
  for (const [name, list] of records.flatMap((record) => Object.entries(record))) {
    lists[name] = [...(lists[name] ?? []), ...list];
  }
  return lists;
}
