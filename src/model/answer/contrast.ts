import { peersTitle } from '../../evidence/metrics/peers.ts';
import { scrapeTitle } from '../../evidence/metrics/scrape.ts';
import type { Certainty, EvidenceItem, Report, Verdict } from '../../report/report.ts';

interface Contrast {
  /** What there was nothing to compare with, as the end of a sentence. */
  readonly missing: string;
  readonly isThere: boolean;
  /** What tells why it is not. */
  readonly evidence: readonly string[];
}

/** How a reason begins that lowers the certainty for want of a comparison. */
const openingText = 'Code could not compare with ';

/**
 * The verdict as certain as its comparisons allow when a model has weighed it. A cause that stands
 * alone looks like the cause: only the same numbers elsewhere and at other times tell. Without one
 * of three comparisons nothing is confirmed, and without those of numbers nothing is likely that
 * was not proven. It is a step down at most, and never up.
 */
export function cappedByContrast(
  verdict: Verdict,
  report: Pick<Report, 'impact' | 'reality' | 'evidence' | 'hypotheses'>,
): Verdict {
  const { peers, others, before } = contrastsOf(report);
  const missing = [peers, others, before].filter(({ isThere }) => !isThere);
  const certainty = capOf(verdict.certainty, {
    isWhole: missing.length === 0,
    isBorneOut: peers.isThere || before.isThere || report.hypotheses.some((hypothesis) => {
      return hypothesis.certainty === 'confirmed' && hypothesis.cause === verdict.most_likely;
    }),
  });
  if (certainty === verdict.certainty) return verdict;
  return {
    ...verdict,
    certainty,
    reasons: [...verdict.reasons, {
      text: `${openingText}${missing.map((each) => each.missing).join(', nor with ')}.`,
      effect: 'lowers',
      evidence: [...new Set(missing.flatMap(({ evidence }) => evidence))].slice(0, 4),
    }],
  };
}

function capOf(
  certainty: Certainty,
  { isWhole, isBorneOut }: { readonly isWhole: boolean; readonly isBorneOut: boolean },
): Certainty {
  if (certainty === 'confirmed' && !isWhole) return 'likely';
  return certainty === 'likely' && !isBorneOut ? 'possible' : certainty;
}

function contrastsOf({ impact, reality, evidence }: Pick<
  Report, 'impact' | 'reality' | 'evidence'
>): Readonly<Record<'peers' | 'others' | 'before', Contrast>> {
  const peers = evidence.filter(({ title }) => title === scrapeTitle || title === peersTitle);
  const others = evidence.filter(({ kind }) => kind === 'related');
  const prometheus = evidence.filter(({ source }) => source === 'prometheus');
  return {
    peers: {
      missing: 'the targets or series around it',
      isThere: impact.targets_total !== null || peers.some(isAnswered),
      evidence: idsOf(peers, prometheus),
    },
    others: {
      missing: 'other alerts of the time', isThere: others.some(isAnswered),
      evidence: idsOf(others, []),
    },
    before: {
      missing: 'a day or a week before',
      isThere: reality.yesterday !== null || reality.last_week !== null,
      evidence: idsOf(prometheus.filter(({ title }) => /own series/.test(title)), prometheus),
    },
  };
}

/** An answer that there is nothing is an answer. */
function isAnswered({ state }: EvidenceItem): boolean {
  return state === 'ok' || state === 'empty';
}

function idsOf(items: readonly EvidenceItem[], otherwise: readonly EvidenceItem[]): string[] {
  return (items.length > 0 ? items : otherwise).slice(0, 2).map(({ id }) => id);
}
