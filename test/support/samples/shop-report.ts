import { concludeFrom } from '../../../src/diagnosis/conclude.ts';
import { relatedAlerts } from '../../../src/diagnosis/related.ts';
import { collectEvidence } from '../../../src/evidence/collect-evidence.ts';
import { noFacts } from '../../../src/evidence/source-facts.ts';
import { knowledgeFor } from '../../../src/knowledge/knowledge-for.ts';
import type { CaseFile } from '../../../src/report/case-file.ts';
import { listedHistory, newReport } from '../../../src/report/new-report.ts';
import type { Report } from '../../../src/report/report.ts';
import type { FakeOptions } from '../sources/fake-prometheus.ts';
import { anAlert } from './alerts.ts';
import { aCaseFile } from './case-files.ts';
import { collected, firedAt, present, shop, shopExpression, shopLabels } from './shop-scenario.ts';

/** The report on the slow shop, made as by an investigation from the Prometheus in memory. */
export async function shopReport({ metrics = {}, caseFile: over = {}, now = present }: {
  readonly metrics?: Partial<FakeOptions>;
  readonly caseFile?: Partial<CaseFile>;
  readonly now?: number;
} = {}): Promise<Report> {
  const alert = anAlert({ labels: shopLabels, startsAt: new Date(firedAt).toISOString() });
  const caseFile = aCaseFile({ alert, ...over });
  const { facts, ledger } = await collected(shop(metrics), { alert: caseFile.alert });
  const knowledge = knowledgeFor(caseFile.alert, shopExpression);
  const evidence = collectEvidence(caseFile, {
    ...noFacts, ledger, now, familyUnit: knowledge?.family.unit ?? null, metrics: facts,
    configured: new Set(['prometheus']),
  });
  const related = relatedAlerts(caseFile);
  const conclusions = concludeFrom({ caseFile, now, evidence, related, knowledge });
  return {
    ...newReport(caseFile, { status: 'ready', now, version: '1.2.3' }),
    ...conclusions, evidence: ledger.items, history: listedHistory(caseFile, now),
  };
}
