import { createPrometheus } from '../../sources/prometheus.ts';
import { QueryBudget } from '../../sources/query-budget.ts';
import type { MetricFacts } from '../metric-facts.ts';
import type { SourceModule } from '../source-module.ts';
import { collectMetrics } from './collect-metrics.ts';

const queriesMax = 100;

export const prometheusModule: SourceModule<MetricFacts> = {
  name: 'prometheus',
  itemsMax: 0, // It takes what the others leave.
  ask: async (source, asking) => {
    const { caseFile, ledger, clock, moment, rule, testsFor, signal, deadlineMs, onStep } = asking;
    const budget = new QueryBudget(source, queriesMax);
    onStep('Asking Prometheus');
    const facts = await collectMetrics(caseFile, {
      ledger, budget, clock, now: moment, rule, testsFor, signal, deadlineMs, onProgress: onStep,
      open: (aborted) => createPrometheus(budget, aborted),
    });
    return () => facts;
  },
};
