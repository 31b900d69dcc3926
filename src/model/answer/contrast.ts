import { peersTitle } from '../../evidence/metrics/peers.ts';
import { scrapeTitle } from '../../evidence/metrics/scrape.ts';
import type { EvidenceItem, Report, Verdict } from '../../report/report.ts';

interface Contrast {
  /** What the comparison is with, as the end of a sentence. */
  readonly missing: string;
  readonly isThere: boolean;
  /** Ids of the items that show why the comparison is missing. */
  readonly evidence: readonly string[];
}

/**
 * Caps the certainty of a verdict that a model has weighed by the comparisons that were possible. A
 * cause looks convincing until its numbers are compared with other places and other times. Unless
 * all three comparisons are there nothing is confirmed; with neither peers nor earlier values,
 * nothing is likely that code has not proven. Lowers the certainty by one step at most.
 */
export function cappedByContrast(
  verdict: Verdict,
  report: Pick<Report, 'impact' | 'reality' | 'evidence' | 'hypotheses'>,
): Verdict {
  const { peers, others, before } = contrastsOf(report);
  const missing = [peers, others, before].filter(({ isThere }) => !isThere);
  const isBorneOut = peers.isThere || before.isThere || report.hypotheses.some((hypothesis) =>
    hypothesis.certainty === 'confirmed' && hypothesis.cause === verdict.most_likely);
  const certainty = verdict.certainty === 'confirmed' && missing.length > 0 ? 'likely'
    : verdict.certainty === 'likely' && !isBorneOut ? 'possible' : verdict.certainty;
  if (certainty === verdict.certainty) return verdict;
  const names = missing.map((each) => each.missing);
  return {
    ...verdict,
    certainty,
    reasons: [...verdict.reasons, {
      text: `The alert could not be compared with ${names.join(', nor with ')}.`,
      effect: 'lowers',
      evidence: [...new Set(missing.flatMap(({ evidence }) => evidence))].slice(0, 4),
    }],
  };
}

function contrastsOf({ impact, reality, evidence }: Pick<
  Report, 'impact' | 'reality' | 'evidence'
>): Readonly<Record<'peers' | 'others' | 'before', Contrast>> {
  const peers = evidence.filter(({ title }) => title === scrapeTitle || title === peersTitle);
  const others = evidence.filter(({ kind }) => kind === 'related');
  const prometheus = evidence.filter(({ source }) => source === 'prometheus');
  return {
    peers: {
      missing: 'neighbouring targets or series',
      isThere: impact.targets_total !== null || peers.some(isAnswered),
      evidence: idsOf(peers, prometheus),
    },
    others: {
      missing: 'other alerts at the time', isThere: others.some(isAnswered),
      evidence: idsOf(others, []),
    },
    before: {
      missing: 'its values a day or a week earlier',
      isThere: reality.yesterday !== null || reality.last_week !== null,
      evidence: idsOf(prometheus.filter(({ title }) => /own series/.test(title)), prometheus),
    },
  };
}

/** An empty answer is an answer, too. */
function isAnswered({ state }: EvidenceItem): boolean {
  return state === 'ok' || state === 'empty';
}

function idsOf(items: readonly EvidenceItem[], otherwise: readonly EvidenceItem[]): string[] {
  return (items.length > 0 ? items : otherwise).slice(0, 2).map(({ id }) => id);
}
