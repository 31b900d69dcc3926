import type {
  AbsentNarrative, Claim, EvidenceItem, NextStep, Report, WrittenNarrative,
} from '../../report/report.ts';
import { isoTime } from '../../report/time-text.ts';
import { looksOnly } from '../claims/orders.ts';
import type { ModelAnswer } from './answer-schema.ts';
import { withDoubts } from './apply-doubts.ts';
import { applyVerdict } from './apply-verdict.ts';
import { judgeAnswer, type Judged } from './judge-answer.ts';
import type { Doubt } from './read-doubts.ts';
import { steeringPlace } from './steering.ts';

interface Narration {
  readonly answer: ModelAnswer;
  /** Null when there was no review. */
  readonly doubts: readonly Doubt[] | null;
  /** The report's evidence, followed by the results of tools. */
  readonly evidence: readonly EvidenceItem[];
  /** How the answer was made, as the report tells it. */
  readonly made: Pick<WrittenNarrative, 'model' | 'tokens' | 'cost' | 'duration_ms'>;
  /** Wall time in milliseconds. */
  readonly now: number;
  /** In the text that was sent. */
  readonly redactions: number;
  /** How the investigation went, as a sentence. */
  readonly course: string;
  /** Removes addresses, commands and image names that are in no evidence. */
  readonly cleanText: (text: string) => string;
}

export const narrativeCheck = 'language model';
const stepsMax = 3;

/**
 * The report with the model's conclusion, as far as the evidence bears it out: unverified sentences
 * are dropped from the summary, unverified claims are marked. Where no claim can be verified the
 * report stays as it was, with the reason why it has no narrative.
 */
export function narrate(stored: Report, narration: Narration): Report {
  const { answer, evidence, now } = narration;
  const report = { ...stored, evidence };
  const judged = judgeAnswer(answer, evidence, narration.cleanText);
  const proven = judged.claims.filter(({ verified }) => verified);
  if (proven.length === 0) {
    const detail = "None of the language model's claims could be verified in the evidence.";
    return withoutNarrative(stored, { reason: 'failed', detail, now, shown: evidence });
  }
  const text = judged.text === '' ? proven.map(sentenceOf).join(' ') : judged.text;
  const { provenance } = stored;
  const steering = steeringPlace(stored, evidence);
  // Not left to the model's own judgement: a model that was steered would not say so.
  const why = steering === null ? narration.course : `${narration.course} ${steeredText(steering)}`;
  const doubts = judged.isTrusted ? narration.doubts : null;
  const applied = applyVerdict(withDoubts(report, doubts, judged), answer, judged);
  return {
    ...report,
    hypotheses: applied.hypotheses,
    verdict: applied.verdict,
    updated_at: isoTime(now),
    next_steps: [...stored.next_steps, ...stepsOf(answer, report, judged)],
    narrative: {
      state: 'present', text, claims: judged.claims,
      suspicious_content: answer.suspicious_content !== null || steering !== null,
      ...narration.made, written_at: isoTime(now),
    },
    provenance: {
      ...provenance,
      checks: [
        ...provenance.checks.filter(({ name }) => name !== narrativeCheck),
        { name: narrativeCheck, state: 'done', why },
      ],
      redactions: provenance.redactions + narration.redactions,
    },
  };
}

function sentenceOf({ text }: Claim): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function steeredText(place: string): string {
  return `Text in ${place} reads like an instruction to the model.`;
}

/** The unchanged report with the reason why it has no narrative. */
export function withoutNarrative(
  report: Report,
  { reason, detail: why, now, shown = null }: Pick<AbsentNarrative, 'reason' | 'detail'> & {
    /** Wall time in milliseconds. */
    readonly now: number;
    /** The evidence that the model saw: an attempt to steer it may be why there is no narrative. */
    readonly shown?: readonly EvidenceItem[] | null;
  },
): Report {
  const steering = shown === null ? null : steeringPlace(report, shown);
  const detail = steering === null ? why : `${why} ${steeredText(steering)}`;
  return { ...report, updated_at: isoTime(now), narrative: { state: 'absent', reason, detail } };
}

/**
 * Next steps for a person: each only looks at something, names only what its evidence holds, and
 * needed no cleaning. Its reason is kept where the evidence bears it out.
 */
function stepsOf(answer: ModelAnswer, report: Report, judged: Judged): NextStep[] {
  if (!judged.isTrusted) return [];
  const known = new Set(report.next_steps.map(({ action }) => action.toLowerCase()));
  const steps: NextStep[] = [];
  for (const { action: said, why, evidence_ids: evidence } of answer.next_steps) {
    const action = judged.clean(said);
    // Cleaning also normalises characters, such as the hyphens that models like.
    const isAllowed = action === said.normalize('NFKC') && looksOnly(action) &&
      judged.verify({ text: action, evidence, isProposal: true });
    if (!isAllowed || known.has(action.toLowerCase())) continue;
    known.add(action.toLowerCase());
    const because = judged.clean(why);
    const isProven = because !== '' && judged.verify({ text: because, evidence });
    steps.push({
      action, why: `Proposed by the language model.${isProven ? ` ${because}` : ''}`,
      command: null, expected: null, risk: 'not assessed', undo: null,
    });
  }
  return steps.slice(0, stepsMax);
}
