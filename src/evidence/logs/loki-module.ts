import { createLoki } from '../../sources/loki.ts';
import { withinBudget, type SourceModule } from '../source-module.ts';
import { askLogs } from './ask-logs.ts';
import { collectLogs, logItemsMax } from './collect-logs.ts';
import type { LogFacts } from './log-facts.ts';

export const lokiModule: SourceModule<LogFacts> = {
  name: 'loki',
  itemsMax: logItemsMax,
  ask: withinBudget({
    queriesMax: 12, create: createLoki,
    ask: ({ caseFile, moment }, asked) => askLogs(caseFile, moment, asked),
    collect: (_, answers, into) => collectLogs(answers, into),
  }),
};
