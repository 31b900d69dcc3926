import { names, type Family } from '../family.ts';

/** Its alerts get a note, but no causes and no steps. */
export const alwaysOn: Family = {
  id: 'always-on',
  names: names(`watchdog
    |deadmans?switch(?!\\w*(?:miss|fail|lost|absent|silent|stop|down|trigger|expire))\\w*
    |prometheusalertmanagere2edeadmanswitch|prometheusnotificationtest|alwaysfiring`),
  // Rules of these names that look for a missing heartbeat are real alerts.
  reads: /vector\s*\(|ALERTS|^[\d\s()=<>!.]*$/u,
  metrics: /^\s*vector\(\s*1\s*\)\s*$/u,
  meaning: 'The alert fires all the time on purpose: it proves that alerts are delivered.',
  impact: 'None while it fires. When it stops, the path from rule to receiver is broken.',
  causes: [],
  steps: [],
};

/** It inhibits, so its alerts get a note as well, but no causes and no steps. */
export const infoInhibitor: Family = {
  id: 'info-inhibitor',
  names: names('infoinhibitor'),
  meaning: 'The alert fires while an alert of severity info fires alone, to keep that one silent.',
  impact: 'None: it starts and ends with the alert that it inhibits.',
  causes: [],
  steps: [],
};
