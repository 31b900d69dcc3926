/** The shop as it is when nothing is wrong: services, who calls whom, stores and hosts. */

export interface Call {
  readonly to: string;
  readonly route: string;
  /** Calls per request. */
  readonly times: number;
}

export interface RoutePlan {
  /** Method and path, `GET /items`. */
  readonly route: string;
  /** Requests per second from outside, of all instances. */
  readonly rate?: number;
  /** Seconds that it takes without what it calls. */
  readonly seconds: number;
  readonly calls?: readonly Call[];
  /** Database queries per request. */
  readonly queries?: number;
  /** Reads from the cache per request; each that misses becomes a query. */
  readonly reads?: number;
  /** Queues to which it publishes a message per request. */
  readonly publishes?: readonly string[];
}

export interface ServicePlan {
  readonly name: string;
  readonly version: string;
  /** Where each instance runs. */
  readonly hosts: readonly string[];
  readonly routes: readonly RoutePlan[];
  readonly memoryBytes: number;
  /** `java` names its metrics as Micrometer does. */
  readonly style?: 'java';
  /** Its database user is its name. */
  readonly database?: 'shop' | 'payments' | 'warehouse';
  /** Connections that one instance opens at most; default 10. */
  readonly poolSize?: number;
  /** What a worker takes, and how many messages per second one instance can. */
  readonly takes?: { readonly queue: string; readonly perSecond: number };
  /** Requests are also counted per tenant. */
  readonly hasTenants?: boolean;
}

export const services: readonly ServicePlan[] = [
  {
    name: 'storefront', version: '4.18.2', memoryBytes: 180e6,
    hosts: ['edge-1', 'edge-1', 'edge-2'],
    routes: [
      {
        route: 'GET /', rate: 14, seconds: 0.012, calls: [
          { to: 'catalog', route: 'GET /items', times: 1 },
          { to: 'cart', route: 'GET /cart', times: 1 },
        ],
      },
      {
        route: 'GET /product/:id', rate: 20, seconds: 0.009,
        calls: [{ to: 'catalog', route: 'GET /items/:id', times: 1 }],
      },
      {
        route: 'GET /search', rate: 6, seconds: 0.01,
        calls: [{ to: 'search', route: 'GET /query', times: 1 }],
      },
      {
        route: 'POST /checkout', rate: 4, seconds: 0.015,
        calls: [{ to: 'checkout', route: 'POST /orders', times: 1 }],
      },
    ],
  },
  {
    name: 'checkout', version: '1.12.3', memoryBytes: 150e6, hosts: ['app-1', 'app-2'],
    database: 'shop',
    routes: [{
      route: 'POST /orders', seconds: 0.02, queries: 3, publishes: ['orders', 'emails'],
      calls: [
        { to: 'inventory', route: 'POST /reservations', times: 1 },
        { to: 'payments', route: 'POST /charges', times: 1 },
      ],
    }],
  },
  {
    name: 'catalog', version: '2.7.0', memoryBytes: 130e6, database: 'shop', poolSize: 4,
    hosts: [
      'app-1', 'app-1', 'app-1', 'app-1', 'app-2', 'app-2', 'app-2', 'app-3', 'app-3', 'app-3',
    ],
    routes: [
      { route: 'GET /items', seconds: 0.012, queries: 0.2, reads: 5 },
      { route: 'GET /items/:id', seconds: 0.006, queries: 0.1, reads: 2 },
    ],
  },
  {
    name: 'cart', version: '3.1.4', memoryBytes: 90e6, hosts: ['app-2', 'app-3'],
    routes: [{ route: 'GET /cart', seconds: 0.006, reads: 2 }],
  },
  {
    name: 'search', version: '2.3.1', memoryBytes: 320e6, hosts: ['app-1', 'app-3'],
    routes: [{ route: 'GET /query', seconds: 0.05 }],
  },
  {
    name: 'inventory', version: '0.31.0', memoryBytes: 110e6, hosts: ['app-2', 'app-3'],
    database: 'shop',
    routes: [{ route: 'POST /reservations', seconds: 0.012, queries: 2 }],
  },
  {
    name: 'payments', version: '5.2.1', memoryBytes: 410e6, hosts: ['app-1', 'app-3'],
    style: 'java', database: 'payments',
    routes: [{
      route: 'POST /charges', seconds: 0.025, queries: 2,
      calls: [{ to: 'acquirer', route: 'POST /authorise', times: 1 }],
    }],
  },
  {
    name: 'exports', version: '1.0.9', memoryBytes: 140e6, hosts: ['app-2', 'app-3'],
    database: 'warehouse', poolSize: 5, hasTenants: true,
    routes: [{ route: 'POST /exports', rate: 3, seconds: 0.09, queries: 4 }],
  },
  {
    name: 'fulfilment', version: '2.0.5', memoryBytes: 120e6, hosts: ['app-1', 'app-2'],
    routes: [], takes: { queue: 'orders', perSecond: 6 }, database: 'shop',
  },
  {
    name: 'mailer', version: '1.4.0', memoryBytes: 80e6, hosts: ['app-2', 'app-3'],
    routes: [], takes: { queue: 'emails', perSecond: 5 },
  },
  {
    name: 'reporting', version: '0.9.0', memoryBytes: 160e6, hosts: ['app-3'], routes: [],
    database: 'warehouse',
  },
];

/** Outside of the shop: called, but not scraped. Seconds per call. */
export const outside: Readonly<Record<string, number>> = { acquirer: 0.12 };

export interface DiskPlan {
  readonly mountpoint: string;
  readonly bytes: number;
  readonly usedShare: number;
}

const rootDisk: DiskPlan = { mountpoint: '/', bytes: 40e9, usedShare: 0.42 };

export const hosts: Readonly<Record<string, readonly DiskPlan[]>> = {
  'edge-1': [rootDisk], 'edge-2': [rootDisk],
  'app-1': [rootDisk], 'app-2': [rootDisk], 'app-3': [rootDisk],
  'db-1': [rootDisk, { mountpoint: '/var/lib/postgresql', bytes: 200e9, usedShare: 0.55 }],
  'db-2': [rootDisk, { mountpoint: '/var/lib/postgresql', bytes: 200e9, usedShare: 0.55 }],
};

export const queues: readonly string[] = ['orders', 'emails'];

/** Addresses that are probed from outside, with the days for which their certificate is valid. */
export const probes: Readonly<Record<string, number>> = {
  'https://shop.example.net/': 58, 'https://api.example.net/health': 41,
};

/** Jobs that run again and again, with seconds between two runs. */
export const cronJobs: Readonly<Record<string, number>> = {
  'price-import': 60, 'invoice-export': 120, 'session-cleanup': 300,
};

export const tenants: readonly string[] = Array.from({ length: 24 }, (_, index) =>
  `t${String(100 + index * 7)}`);

/** Connections that the database server accepts. */
export const connectionsMax = 120;
