import type { LabIncident } from '../incident.ts';

export const incident: LabIncident = {
  name: 'host-cut-off',
  seen: false,
  what: 'app-3 loses its network: none of its eleven targets answers',
  truth: {
    says: 'All eleven targets on app-3 stopped answering within one scrape at T, the node exporter '
      + 'among them: the host or its network is gone, not eleven processes. The other hosts and '
      + 'the other instances of each service are well; reporting ran only there.',
    alerts: ['InstanceDown'],
    cause: /app-3|host|network|machine|node\b/,
    culprit: /app-3/,
    holds: [/unreachable|time(d )?out|does not answer|no answer/, /down/],
    isFalse: [
      /traffic|more requests/, /release|version|deploy/, /memory|OOM/, /postgres|redis/,
      /process\w* (crash|ended|died|(was|were) killed)|refused/, /app-[12]|edge-|db-/,
    ],
    mayNotBeRuledOut: /host|network|machine/,
    step: /app-3|ping|ssh|network|host|console/,
  },
  cause: (shop) => shop.cutNetwork('app-3', true),
  end: (shop) => shop.cutNetwork('app-3', false),
};
