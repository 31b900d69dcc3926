import { flapping, healthy, selfResolved, storm } from './calm.ts';
import { toldByCluster } from './cluster.ts';
import { capacity, dependency, deploy, redHerring, scrapeGap, twoFaults } from './faults.ts';
import { injectedLabel, missingMetric, sourceDown } from './gaps.ts';
import { noisyLog, orderInLog, toldByLog } from './logs.ts';
import type { Plot } from './scenario.ts';

/** All invented incidents. */
export const corpus: readonly Plot[] = [
  healthy, redHerring, missingMetric, twoFaults, injectedLabel, selfResolved, capacity, deploy,
  dependency, scrapeGap, flapping, storm, sourceDown, toldByLog, noisyLog, orderInLog,
  toldByCluster,
];
