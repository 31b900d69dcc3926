import type { LabIncident } from '../incident.ts';

export const incident: LabIncident = {
  name: 'rollback-restarts',
  seen: true,
  what: 'inventory is rolled back from 0.31.0 to 0.30.4, which restarts it; nothing is wrong',
  truth: {
    says: 'inventory was rolled back from 0.31.0 to 0.30.4, which restarted both instances '
      + 'once. It serves as before: nothing to do.',
    alerts: ['ProcessRestarted'],
    classifications: ['informational', 'noisy', 'recovered', 'actionable'],
    cause: /release|version|deploy|roll|0\.30\.4/,
    culprit: /inventory.*0\.30\.4|0\.30\.4.*inventory/,
    holds: [/restarted/],
    isFalse: [/host|reboot/, /crash|out of memory|OOM|killed/, /leak/],
    mayNotBeRuledOut: /release|deploy|roll/,
    step: /0\.30\.4|0\.31\.0|version|release|roll|deploy|nothing/,
  },
  rules: [{
    alert: 'ProcessRestarted', expr: 'time() - process_start_time_seconds < 100', for: '0s',
    summary: '{{ $labels.job }} on {{ $labels.instance }} was restarted',
  }],
  cause: (shop) => shop.service('inventory').restart(shop.now, '0.30.4'),
  // The rule falls silent by itself; the version that belongs here comes back before that.
  end: (shop) => {
    for (const instance of shop.service('inventory').instances) instance.version = '0.31.0';
  },
};
