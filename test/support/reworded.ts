import type { Report, Statement } from '../../src/report/report.ts';

/**
 * The report with every sentence that this service wrote replaced by another one of its length: no
 * two are alike, and none says anything. What code decides must not change.
 */
export function reworded(report: Report): Report {
  let count = 0;
  const words = (text: string): string => `${count += 1} nonsense`.padEnd(text.length, ' so');
  const orNull = (text: string | null): string | null => text === null ? null : words(text);
  const all = <T extends Statement>(statements: readonly T[]): T[] =>
    statements.map((each) => ({ ...each, text: words(each.text) }));
  const { alert, verdict, impact } = report;
  return {
    ...report,
    alert: { ...alert, links: alert.links.map((link) => ({ ...link, title: words(link.title) })) },
    verdict: {
      ...verdict, headline: words(verdict.headline),
      gist: verdict.gist === '' ? '' : words(verdict.gist ?? ''),
      most_likely: orNull(verdict.most_likely), do_first: orNull(verdict.do_first),
      reasons: all(verdict.reasons),
    },
    impact: {
      ...impact, ...impact.leads_to && {
        leads_to: { ...impact.leads_to, text: words(impact.leads_to.text) },
      },
    },
    changes: report.changes.map((change) => ({ ...change, title: words(change.title) })),
    findings: all(report.findings),
    hypotheses: report.hypotheses.map((each) => ({
      ...each, cause: words(each.cause), mechanism: orNull(each.mechanism), for: all(each.for),
      against: all(each.against),
    })),
    ruled_out: report.ruled_out.map((each) => ({
      ...each, cause: words(each.cause), why: words(each.why),
    })),
    next_steps: report.next_steps.map((step) => ({
      ...step, action: words(step.action), why: orNull(step.why), expected: orNull(step.expected),
      risk: orNull(step.risk), undo: orNull(step.undo),
    })),
    timeline: all(report.timeline),
    evidence: report.evidence.map((item) => {
      const summary = words(item.summary);
      const error = item.error === item.summary ? summary : orNull(item.error);
      return {
        ...item, title: words(item.title), summary, error, warnings: item.warnings.map(words),
      };
    }),
    related: report.related.map((each) => ({ ...each, why: words(each.why) })),
    unknowns: report.unknowns.map((each) => ({
      ...each, what: words(each.what), why: words(each.why), how_to_get: words(each.how_to_get),
    })),
    resolution: report.resolution && {
      ...report.resolution, changes: all(report.resolution.changes),
    },
  };
}
