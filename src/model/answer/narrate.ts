import type {
  AbsentNarrative, EvidenceItem, NextStep, Report, WrittenNarrative,
} from '../../report/report.ts';
import { isoTime } from '../../report/time-text.ts';
import type { ModelAnswer } from './answer-schema.ts';
import { applyVerdict, isTrusted } from './apply-verdict.ts';
import type { JudgedAnswer, JudgedAssertions } from './judge-answer.ts';
import { steeringPlace } from './steering.ts';

interface Narration {
  readonly answer: ModelAnswer;
  readonly judged: JudgedAnswer;
  /** How many of the assertions of the first answer held, and were made. */
  readonly first: { readonly held: number; readonly made: number };
  /** The report's evidence, followed by the results of tools. */
  readonly evidence: readonly EvidenceItem[];
  /** How the answer was made, as the report has it. */
  readonly made: Pick<WrittenNarrative, 'model' | 'tokens' | 'cost' | 'duration_ms'>;
  /** Wall time in milliseconds. */
  readonly now: number;
  /** In the text that was sent. */
  readonly redactions: number;
  /** How the investigation went, as a sentence. */
  readonly run: string;
}

export const narrativeCheck = 'language model';
const stepsMax = 3;

/**
 * The report with the model's conclusion: the findings that hold, in code's words, and the model's
 * reading of them. Where nothing holds the report stays as it was, with the reason why it has no
 * narrative.
 */
export function narrate(stored: Report, narration: Narration): Report {
  const { answer, judged, first, evidence, now } = narration;
  if (judged.findings.length === 0) {
    const detail = 'Nothing that the language model asserted holds in the evidence.';
    return withoutNarrative(stored, { reason: 'failed', detail, now, shown: evidence });
  }
  const report = { ...stored, evidence };
  const { provenance } = stored;
  const steering = steeringPlace(stored, evidence);
  // Not left to the model's own judgement: a model that was steered would not say so.
  const why = steering === null ? narration.run : `${narration.run} ${steeredText(steering)}`;
  return {
    ...report,
    ...applyVerdict(report, { answer, judged, first }),
    updated_at: isoTime(now),
    next_steps: [...stored.next_steps, ...isTrusted(first) ? stepsOf(judged, report) : []],
    narrative: {
      state: 'present', text: judged.reading.text, claims: claimsOf(judged),
      asserted: { made: first.made, held_at_first: first.held, held: judged.findings.length },
      culprits: judged.culprits, missing: judged.missing,
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

/** The findings that hold, as the report has them. */
export function claimsOf({ findings }: JudgedAssertions): WrittenNarrative['claims'] {
  return findings.map(({ text, evidence, reading }) => ({
    text, evidence, reading, verified: true,
  }));
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

/** Next steps for a person, none of which the report has already. */
function stepsOf({ steps }: JudgedAnswer, report: Report): NextStep[] {
  const known = new Set(report.next_steps.map(({ action }) => action.toLowerCase()));
  return steps.filter(({ action }) => {
    const isNew = !known.has(action.toLowerCase());
    known.add(action.toLowerCase());
    return isNew;
  }).slice(0, stepsMax).map(({ action, why }) => ({
    action, why: `Proposed by the language model.${why === '' ? '' : ` ${why}`}`,
    command: null, expected: null, risk: 'not assessed', undo: null,
  }));
}
