import { createAlertmanager } from '../../sources/alertmanager.ts';
import { withinBudget, type SourceModule } from '../source-module.ts';
import { askAlertmanager } from './ask-alertmanager.ts';
import {
  alertmanagerItemsMax, collectAlertmanager, type AlertmanagerFacts,
} from './collect-alertmanager.ts';

export const alertmanagerModule: SourceModule<AlertmanagerFacts> = {
  name: 'alertmanager',
  itemsMax: alertmanagerItemsMax,
  ask: withinBudget({
    queriesMax: 12, create: createAlertmanager,
    ask: ({ caseFile }, asked) => askAlertmanager(caseFile, asked),
    collect: collectAlertmanager,
  }),
};
