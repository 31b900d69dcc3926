/** Products that the alerts of one family may be about. */
const stores = [
  'postgresql', 'mysql', 'mongodb', 'redis', 'memcached', 'elasticsearch', 'cassandra',
  'clickhouse', 'cockroachdb', 'sqlserver', 'oracle', 'kafka', 'rabbitmq', 'nats', 'pulsar', 'sqs',
  'celery', 'sidekiq', 'argocd', 'flux', 'velero', 'restic', 'pgbackrest', 'haproxy', 'traefik',
] as const;

export type Store = (typeof stores)[number];

/** How names and rules tell those that they do not always spell out, or that are part of words. */
const spellings: Readonly<Partial<Record<Store, RegExp>>> = {
  postgresql: /postgres|pgbouncer|(?<![a-z])pg[_|]/iu,
  mysql: /mysql|mariadb|percona/iu,
  mongodb: /mongo/iu,
  redis: /redis|valkey/iu,
  elasticsearch: /elasticsearch|opensearch/iu,
  cockroachdb: /cockroach/iu,
  sqlserver: /mssql|sqlserver/iu,
  nats: /(?<![a-z])nats|jetstream/iu,
  sqs: /(?<![a-z])sqs/iu,
  argocd: /(?<![a-zA-Z])(?:argo|ARGO)|Argo/u,
  flux: /(?<![a-z])flux|gotk_|helmrelease|kustomization/iu,
};

const patterns = stores.map((store) => {
  return { store, pattern: spellings[store] ?? new RegExp(store, 'iu') };
});

const textMax = 16 * 1024;

/** Every product that a text names. */
export function storesIn(text: string): Store[] {
  const searched = text.slice(0, textMax);
  return patterns.flatMap(({ store, pattern }) => (pattern.test(searched) ? [store] : []));
}

/** The product that a text names; null where it names none, or several. */
export function storeOf(text: string): Store | null {
  const [named = null, ...others] = storesIn(text);
  return others.length === 0 ? named : null;
}
