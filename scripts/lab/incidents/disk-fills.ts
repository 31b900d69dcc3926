import type { LabIncident } from '../incident.ts';

export const incident: LabIncident = {
  name: 'disk-fills',
  seen: true,
  what: 'something writes 1.2 GB/s to the database disk of db-1',
  truth: {
    says: '/var/lib/postgresql on db-1 fills at 1.2 GB/s since T (it stood still at 45 % '
      + 'free all day); full within half a minute. Find what writes there, free space.',
    alerts: ['HostDiskFillingUp'],
    cause: /fill|writ|grow/,
    culprit: /\/var\/lib\/postgresql.*db-1|db-1.*\/var\/lib\/postgresql/,
    holds: [/written|available|avail/],
    isFalse: [/restart/, /release|version/, /traffic/, /connections/, /inode/, /normal write/],
    mayNotBeRuledOut: /log|grow|files|data/,
    step: /\bdu\b|\bfind\b|\bdf\b|lsof|space|writes/,
  },
  cause: (shop) => shop.host('db-1').fill.set('/var/lib/postgresql', 1.2e9),
  end: (shop) => {
    shop.host('db-1').fill.clear();
    shop.host('db-1').setUsed('/var/lib/postgresql', 0.55);
  },
};
