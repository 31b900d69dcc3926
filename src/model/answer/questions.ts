import type { EvidenceItem, AskedQuestion, Report } from '../../report/report.ts';
import { isoTime } from '../../report/time-text.ts';
import { adoptEvidence } from './adopt-evidence.ts';
import type { JudgedAssertions } from './judge-answer.ts';
import { claimsOf } from './narrate.ts';

/** The report with an answer to a question, and the evidence that the answer cites. */
export function withAnswer(
  report: Report,
  { question, judged, evidence, now }: {
    /** Masked. */
    readonly question: string;
    readonly judged: JudgedAssertions;
    /** The report's evidence, followed by the results of tools. */
    readonly evidence: readonly EvidenceItem[];
    /** Wall time in milliseconds. */
    readonly now: number;
  },
): Report {
  const { reading, missing } = judged;
  return withQuestions(report, evidence, [{
    ...asked(question, now), state: 'answered', text: reading.text, claims: claimsOf(judged),
    missing,
  }]);
}

/** The report with the reason, as a sentence, why a question has no answer. */
export function withoutAnswer(
  report: Report,
  { question, detail, now }: {
    readonly question: string; readonly detail: string; readonly now: number;
  },
): Report {
  return withQuestions(report, [], [{ ...asked(question, now), state: 'failed', detail }]);
}

/** The new report with the questions of the one it replaces. */
export function keepQuestions(
  report: Report,
  { questions = [], evidence }: Pick<Report, 'questions' | 'evidence'>,
): Report {
  return questions.length === 0 ? report : withQuestions(report, evidence, questions);
}

/** What is under way: everything that an answer adds is empty. */
export function asked(question: string, now: number): AskedQuestion {
  return {
    asked_at: isoTime(now), question, state: 'pending', text: '', claims: [], missing: [],
    detail: null,
  };
}

function withQuestions(
  report: Report,
  evidence: readonly EvidenceItem[],
  questions: readonly AskedQuestion[],
): Report {
  const statements = questions.flatMap(({ claims, text }) => [...claims, { text, evidence: [] }]);
  const adopted = adoptEvidence(report.evidence, evidence, statements);
  return {
    ...report, evidence: adopted.evidence,
    questions: [...report.questions ?? [], ...questions.map((question) => ({
      ...question, text: adopted.reworded(question.text),
      claims: question.claims.map(adopted.moved),
    }))],
  };
}
