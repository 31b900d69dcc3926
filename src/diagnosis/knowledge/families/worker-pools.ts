import { metrics, names, promql, ssh, type Family } from '../family.ts';
import { listPods, twiceYesterday } from '../usual-checks.ts';

const at = 'job="{job}",instance="{instance}"';

export const workerPool: Family = {
  id: 'worker-pool',
  names: names(`phpfpm\\w*(?:maxchildren\\w*|queue\\w*|busy|saturat\\w*|exhausted)|apacheworkers\\w*
    |(?:gitlab)?puma(?:high|no)?(?:queuedconnections|threadpool\\w*|availablepoolcapacity
    |backlog|poolcapacity\\w*)|workers?(?:pool)?(?:all)?(?:busy|exhausted|saturated)`),
  metrics: metrics(`phpfpm_(?:max_children_reached|listen_queue|slow_requests)\\w*|apache_workers
    |puma_(?:queued_connections|backlog|pool_capacity|max_threads)`),
  meaning: 'All workers of a program are busy, and requests wait for one.',
  impact: 'Pages are slow, then fail: a proxy in front answers with 502 or 504.',
  causes: [
    {
      id: 'slow-dependency', cause: 'Requests take longer, because of what they call',
      mechanism: 'Each holds its worker while it waits for a database or a service.',
      test: promql(`sum(rate({__name__=~"phpfpm_slow_requests(_total)?",${at}}[5m]))`,
        { supports: 0.01, refutes: 0 }),
      confirms: 'Requests are slower than the slow log allows; it names the call.',
      refutes: 'No request is that slow, and the slow log is on.',
    },
    {
      id: 'traffic-peak', cause: 'Far more requests arrive',
      mechanism: 'A campaign, a crawler or a retry loop needs more workers than there are.',
      ...twiceYesterday(
        `{__name__=~"phpfpm_accepted_connections(_total)?|apache_accesses_total",${at}}`,
        'arrive',
      ),
    },
    {
      id: 'host-busy', cause: 'The host has no CPU time left for them',
      mechanism: 'Every request takes longer, so all workers are in use.',
      test: promql('1 - avg(rate(node_cpu_seconds_total{instance=~"{instance.host}(:.*)?"' +
        ',mode="idle"}[5m]))', { supports: 0.9, refutes: 0.6 }),
      confirms: 'Its processors are busy for 90 % of the time or more.',
      refutes: 'They are idle for 40 % of the time or more.',
    },
  ],
  steps: [
    {
      action: 'List the oldest requests in work (PHP-FPM).',
      why: 'Many with one script lead to what that script calls.',
      command: ssh('sudo tail -n 60 /var/log/php*-fpm*slow*.log'),
      expected: 'One function at the top of most entries, or no new entry.',
    },
    {
      ...listPods,
      why: 'Fewer replicas than usual have to share the same traffic.',
      expected: 'As many as usual, all Ready.',
    },
  ],
};
