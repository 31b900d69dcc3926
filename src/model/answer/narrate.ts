import type { EvidenceItem, Narrative, NextStep, Report } from '../../report/report.ts';
import { isoTime } from '../../report/time-text.ts';
import { looksOnly } from '../claims/orders.ts';
import { withDoubts, type Doubt } from '../investigation/doubt.ts';
import type { ModelAnswer } from './answer-schema.ts';
import { applyVerdict } from './apply-verdict.ts';
import { cappedByContrast } from './contrast.ts';
import { judgeAnswer, type Checks, type Judged } from './judge-answer.ts';
import { steeringPlace } from './steering.ts';

type AbsenceReason = Extract<Narrative, { state: 'absent' }>['reason'];

export interface Narration {
  readonly answer: ModelAnswer;
  /** Null, or left out, when nobody read it a second time. */
  readonly doubts?: readonly Doubt[] | null;
  /** The report's evidence and behind it what tools added. */
  readonly evidence: readonly EvidenceItem[];
  /** As the provider calls it. */
  readonly model: string;
  readonly tokens: number;
  /** Null when prices are not known. */
  readonly cost: number | null;
  readonly durationMs: number;
  /** Wall time in milliseconds. */
  readonly now: number;
  /** Of what was sent. */
  readonly redactions: number;
  /** How it went, as a sentence. */
  readonly course: string;
}

export const narrativeCheck = 'language model';
const stepsMax = 3;

/**
 * The report with what the model concluded, as far as the evidence bears it out: what does not
 * stand there is struck from the summary and marked among the claims. An answer of which nothing
 * is borne out leaves the report as it was, but for the reason.
 */
export function narrate(stored: Report, narration: Narration, checks: Checks): Report {
  const { answer, evidence, now } = narration;
  const report = { ...stored, evidence };
  const judged = judgeAnswer(answer, report, checks);
  const proven = judged.claims.filter(({ verified }) => verified);
  if (proven.length === 0) {
    const detail = 'What the language model concluded was not found in the evidence.';
    return withoutNarrative(stored, { reason: 'failed', detail, now, shown: evidence });
  }
  const text = judged.text === '' ? proven.map((claim) => claim.text).join(' ') : judged.text;
  const { provenance } = stored;
  const steering = steeringPlace(stored, evidence);
  const doubts = judged.isTrusted ? narration.doubts ?? null : null;
  const applied = applyVerdict(withDoubts(report, doubts, judged), answer, judged);
  return {
    ...report,
    hypotheses: applied.hypotheses,
    verdict: cappedByContrast(applied.verdict, stored),
    updated_at: isoTime(now),
    next_steps: [...stored.next_steps, ...stepsOf(answer, report, judged)],
    narrative: {
      state: 'present', text, claims: judged.claims,
      suspicious_content: answer.suspicious_content !== null || steering !== null,
      model: narration.model, tokens: narration.tokens, cost: narration.cost,
      duration_ms: Math.round(narration.durationMs), written_at: isoTime(now),
    },
    provenance: {
      ...provenance,
      checks: [
        ...provenance.checks.filter(({ name }) => name !== narrativeCheck),
        { name: narrativeCheck, state: 'done', why: courseOf(narration, steering) },
      ],
      redactions: provenance.redactions + narration.redactions,
    },
  };
}

/** Whatever the model says of it: one that was steered would not tell. */
function courseOf({ course }: Narration, steering: string | null): string {
  return steering === null ? course : `${course} ${steeredText(steering)}`;
}

function steeredText(place: string): string {
  return `Something in ${place} reads like an order to the model.`;
}

/** The report as it was, and why it has no narrative. */
export function withoutNarrative(
  report: Report,
  { reason, detail: why, now, shown = null }: {
    readonly reason: AbsenceReason;
    readonly detail: string;
    /** Wall time in milliseconds. */
    readonly now: number;
    /** The evidence that the model saw: orders in it may be why it has nothing to say. */
    readonly shown?: readonly EvidenceItem[] | null;
  },
): Report {
  const steering = shown === null ? null : steeringPlace(report, shown);
  const detail = steering === null ? why : `${why} ${steeredText(steering)}`;
  return { ...report, updated_at: isoTime(now), narrative: { state: 'absent', reason, detail } };
}

/**
 * Checks for a person to make: each only looks at something, names nothing that its evidence does
 * not hold, and nothing of it had to be taken out. A reason stays where it is borne out.
 */
function stepsOf(answer: ModelAnswer, report: Report, judged: Judged): NextStep[] {
  if (!judged.isTrusted) return [];
  const known = new Set(report.next_steps.map(({ action }) => action.toLowerCase()));
  return answer.next_steps
    .filter(({ action, evidence_ids: evidence }) => {
      return looksOnly(action) && judged.clean(action) === action &&
        !known.has(action.toLowerCase()) &&
        judged.verify({ text: action, evidence, isProposal: true });
    })
    .slice(0, stepsMax)
    .map(({ action, why, evidence_ids: evidence }) => {
      const because = judged.clean(why);
      const isProven = because !== '' && judged.verify({ text: because, evidence });
      return {
        action, why: `Proposed by the language model.${isProven ? ` ${because}` : ''}`,
        command: null, expected: null, risk: 'not assessed', undo: null,
      };
    });
}
