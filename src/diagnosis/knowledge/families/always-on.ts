import { names, type Family } from '../family.ts';

/** Its alerts get a note and no analysis. */
export const alwaysOn: Family = {
  id: 'always-on',
  names: [
    names(`watchdog|infoinhibitor|deadman(?!\\w*(?:miss|fail|lost|absent|silent|stop|down))\\w*
      |prometheusalertmanagere2edeadmanswitch|prometheusnotificationtest|alwaysfiring`),
  ],
  // Of these names some rules ask whether a heartbeat is missing: those are no note.
  reads: /vector\s*\(|ALERTS|^[\d\s()=<>!.]*$/u,
  metrics: [/^\s*vector\(\s*1\s*\)\s*$/u],
  meaning: 'The alert fires all the time on purpose: it proves that alerts are delivered.',
  impact: 'None while it fires. When it stops, the path from rule to receiver is broken.',
  unit: null,
  causes: [],
  steps: [],
};

export const alwaysOnFamilies: readonly Family[] = [alwaysOn];
