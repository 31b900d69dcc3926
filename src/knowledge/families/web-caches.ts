import { ifNone, metrics, names, promql, ssh, type Family } from '../family.ts';
import { ofTarget, rolledOut, twiceBefore } from '../usual-checks.ts';

const cacheHits: Family = {
  id: 'web-cache-hits',
  names: names(`(?:varnish|squid)\\w*(?:hitrat(?:e|io)|missrat(?:e|io)|eviction|memoryusage)\\w*`),
  metrics: metrics(`varnish_main_(?:cache_hit|cache_miss|n_lru_nuked)|varnish_sma_g_\\w+
    |squid_client_http_hits_total`),
  meaning: 'The cache answers fewer requests itself, or has no room left.',
  impact: 'What is not answered from the cache reaches the servers behind it.',
  causes: [
    {
      id: 'too-small', cause: 'The cache is full and evicts what is asked for again',
      mechanism: 'More is asked for than fits, so objects leave before they expire.',
      test: promql(`max(rate(varnish_main_n_lru_nuked{${ofTarget}}[5m]))`,
        { atLeast: 0.1, notUpTo: 0 }),
    },
    {
      id: 'emptied', cause: 'It was restarted, and is still empty',
      mechanism: 'A cache in memory starts with nothing, and each object is fetched once.',
      test: promql(`min(varnish_main_uptime{${ofTarget}})`, { atMost: 600, notFrom: 7200 }),
      note: 'It is in seconds.',
    },
    {
      id: 'not-cacheable', cause: 'Responses may not be cached any more',
      mechanism: 'A release sets a cookie, or a header that forbids it.',
      test: promql(`max(rate(varnish_main_beresp_uncacheable{${ofTarget}}[5m])
        / rate(varnish_main_backend_req{${ofTarget}}[5m]))`, { atLeast: 0.5, notUpTo: 0.05 }),
    },
    {
      id: 'other-requests', cause: 'Clients ask for more different things',
      mechanism: 'A crawler, or a parameter that differs each time, makes every request new.',
      test: twiceBefore(`varnish_main_client_req{${ofTarget}}`),
    },
  ],
  steps: [
    {
      action: 'See what is fetched from the servers behind it most (Varnish).',
      why: 'Many addresses seen once mean other requests, few seen often mean no caching.',
      command: ssh('sudo varnishtop -1 -i BereqURL | head -n 20'),
      expected: 'Each address is fetched about once per lifetime.',
    },
  ],
};

const cacheBackend: Family = {
  id: 'web-cache-backend',
  names: names('varnish(?:cache)?backend(?:is)?(?:unhealthy|down|fail\\w*|sick)'),
  metrics: metrics('varnish_(?:main_)?backend_(?:unhealthy|fail\\w*|busy|up)'),
  meaning: 'A server behind the cache fails its probe or its requests.',
  impact: 'What is not in the cache is answered with 503, or stale.',
  causes: [
    {
      id: 'refused', cause: 'Nothing listens where the server should', isDirect: true,
      mechanism: 'Its process is not running, so connections are refused.',
      test: promql(`max(rate(varnish_backend_fail_econnrefused{${ofTarget}}[5m]))`,
        { atLeast: 0.01, notUpTo: 0 }),
    },
    {
      id: 'no-answer', cause: 'The server cannot be reached',
      mechanism: 'Its host is down or cut off, so connections time out.',
      test: promql(`max(rate(varnish_backend_fail_etimedout{${ofTarget}}[5m])
        + rate(varnish_backend_fail_enetunreach{${ofTarget}}[5m]))`,
        { atLeast: 0.01, notUpTo: 0 }),
    },
    {
      id: 'probe', cause: 'Its probe fails',
      mechanism: 'It is slow or unwell, or the address of the probe changed.',
      test: ifNone(`min(varnish_backend_up{${ofTarget}})`),
    },
  ],
  steps: [
    {
      action: 'List the servers and their last probes (Varnish).',
      why: 'It tells which one is sick, and whether it answers at all.',
      command: ssh('sudo varnishadm backend.list -p'),
    },
  ],
};

const eventLoop: Family = {
  id: 'event-loop',
  names: names('(?:node(?:js)?)?eventloop(?:lag|delay|utili[sz]ation|block)\\w*'),
  metrics: metrics('nodejs_eventloop_\\w+'),
  meaning: 'The one thread that serves all requests of a process is kept busy by something else.',
  impact: 'All its requests wait, health checks included.',
  unit: 'seconds',
  causes: [
    {
      id: 'cpu-bound', cause: 'It computes for longer than it should at a time',
      mechanism: 'A large document, a slow pattern or a loop blocks everything else.',
      test: promql(`max(rate(process_cpu_seconds_total{${ofTarget}}[5m]))`,
        { atLeast: 0.5, notUpTo: 0.2 }),
    },
    {
      id: 'garbage-collection', cause: 'Garbage collection pauses it',
      mechanism: 'Its heap is nearly full, so collections are long and frequent.',
      test: promql(`max(sum by (instance) (rate(nodejs_gc_duration_seconds_sum{${ofTarget}}[5m])))`,
        { atLeast: 0.1, notUpTo: 0.02 }),
    },
    {
      id: 'traffic-peak', cause: 'Far more requests arrive',
      mechanism: 'Each takes its share of the one thread.',
      test: twiceBefore(`http_requests_total{${ofTarget}}`),
    },
    {
      id: 'release', cause: 'A release broke it',
      mechanism: 'The new version computes more for each request.',
      test: rolledOut,
    },
  ],
  steps: [
    {
      action: 'Compare the processes of the job.',
      why: 'All of them mean a release or traffic, one means its machine or its requests.',
      command: promql('max by (instance) ({__name__=~"nodejs_eventloop_lag(_p99)?_seconds",' +
        'job="{job}"})'),
      expected: 'All are alike, at a few milliseconds.',
    },
  ],
};

export const webFamilies: readonly Family[] = [cacheHits, cacheBackend, eventLoop];
