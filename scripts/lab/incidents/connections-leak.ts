import type { LabIncident } from '../incident.ts';

export const incident: LabIncident = {
  name: 'connections-leak',
  seen: true,
  what: 'reporting 0.9.1 opens a database connection every second and never closes one',
  truth: {
    says: 'PostgreSQL on db-1 runs out of connections: those of user reporting (database '
      + 'warehouse, idle) rise by one a second since reporting became 0.9.1. Roll it back, '
      + 'end its sessions.',
    alerts: ['PostgresConnectionsHigh'],
    cause: /(do|does) not (close|release)|leak|never (close|give)|idle|0\.9\.1/,
    culprit: /reporting/,
    holds: [/idle/, /error|fail/, /0\.9\.1/],
    isFalse: [
      /traffic|more requests/, /(checkout|catalog|payments|inventory).*(releas|version|does not)/,
      /postgres\S* (was )?restart/, /host/,
    ],
    mayNotBeRuledOut: /does not release|leak|connections are|too many/,
    step: /reporting|pg_stat_activity/,
  },
  cause: (shop) => {
    shop.service('reporting').restart(shop.now, '0.9.1');
    shop.database.sessions.push({
      user: 'reporting', database: 'warehouse', state: 'idle', count: 0, perSecond: 1,
    });
  },
  end: (shop) => shop.service('reporting').restart(shop.now, '0.9.0'),
};
