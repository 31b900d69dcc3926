import type { EvidenceItem } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { isoTime } from '../../report/time-text.ts';
import type { AssertionKind } from '../assertions/assertion.ts';
import { cellAt, Problem, type CitedItems } from '../assertions/cell.ts';
import { filled, sentencesOf, type FillContext, type Filled } from '../assertions/fill.ts';
import { assess } from '../assertions/judge.ts';
import { holdsName } from '../assertions/names.ts';
import { readsOnly } from '../assertions/orders.ts';
import { ownTextOf, wholeTextOf } from '../assertions/whose-words.ts';
import type { Finding, ModelAnswer, Assertions } from './answer-schema.ts';

/** What is left of an answer: code's sentences for what holds, and the model's words made safe. */
export interface JudgedAssertions {
  readonly findings: readonly JudgedFinding[];
  /** Assertions that the answer made. */
  readonly made: number;
  /** The model's own words, with values filled in; unchecked. */
  readonly reading: Filled;
  readonly missing: readonly string[];
  /** What does not hold or cannot be shown, a sentence for the model each. */
  readonly problems: readonly string[];
}

export interface JudgedFinding extends Pick<Finding, 'about' | 'weight'> {
  /** Code's sentence. */
  readonly text: string;
  readonly evidence: readonly string[];
  /** The model's words about it; null for none that can be shown. */
  readonly reading: string | null;
  /** Whether it can speak for or against a cause. */
  readonly isInformative: boolean;
}

export interface JudgedAnswer extends JudgedAssertions {
  /** The model's own cause; null for none that can be shown. */
  readonly cause: string | null;
  /** `since` in RFC 3339; null if the model does not say or the evidence does not know. */
  readonly culprits: readonly { readonly component: string; readonly since: string | null }[];
  /** Next steps that only look at something; `why` may be empty. */
  readonly steps: readonly { readonly action: string; readonly why: string }[];
}

interface JudgeContext {
  readonly items: readonly EvidenceItem[];
  /** Removes addresses, commands and the like. */
  readonly cleanText: (text: string) => string;
}

const sentenceMax = 400;
const readingMax = 1500;

/** Judges every assertion, and fills in and cleans the model's own words sentence by sentence. */
export function judgeAssertions(assertions: Assertions, context: JudgeContext): JudgedAssertions {
  const judging = new Judging(context);
  const seen = new Set<string>();
  const findings = assertions.findings.flatMap((finding, index): JudgedFinding[] => {
    const judged = assess(finding, judging.evidence);
    if (!judged.holds) {
      judging.problems.push(`findings[${index}] (${finding.is}) does not hold: ${judged.why}`);
      return [];
    }
    const text = judging.clean(judged.text);
    if (text === '' || seen.has(text)) return [];
    seen.add(text);
    const { about, weight } = finding;
    const reading = judging.words(finding.reading, `findings[${index}].reading`).text || null;
    const isInformative = !silentKinds.has(finding.is) && judged.evidence.some((id) =>
      !neutralKinds.has(judging.evidence.get(id)?.kind ?? 'alert'));
    return [{ about, weight, text, evidence: judged.evidence, reading, isInformative }];
  });
  const reading = judging.words(assertions.reading, 'reading');
  const missing = assertions.missing.map((each) => judging.words(each, 'missing').text)
    .filter((text) => text !== '');
  const made = assertions.findings.length;
  return { findings, made, reading, missing, problems: judging.problems };
}

/** Kinds of evidence that speak neither for nor against a hypothesis, however true they are. */
const neutralKinds: ReadonlySet<EvidenceItem['kind']> = new Set(['alert', 'group', 'source']);
/** Assertions that something was not found, which a query that asks for nothing proves as well. */
const silentKinds: ReadonlySet<string> =
  new Set<AssertionKind>(['none', 'unknown']);

export function judgeAnswer(answer: ModelAnswer, context: JudgeContext): JudgedAnswer {
  const judged = judgeAssertions(answer, context);
  const judging = new Judging(context);
  const cause = judging.whole(answer.own_cause ?? '', 'own_cause');
  const culprits = answer.culprits.flatMap(({ component, since }) =>
    judging.isNamed(component) ? [{ component, since: judging.timeAt(since) }] : []);
  const steps = answer.next_steps.flatMap(({ action: step, why }) => {
    const action = judging.whole(step, 'next_steps');
    const isAllowed = action !== null && readsOnly(action);
    return isAllowed ? [{ action, why: judging.words(why, 'next_steps').text }] : [];
  });
  return { ...judged, cause, culprits, steps, problems: [...judged.problems, ...judging.problems] };
}

/** The evidence of one answer, and the problems found with it so far. */
class Judging {
  readonly evidence: CitedItems;
  readonly problems: string[] = [];
  readonly #fill: FillContext;
  readonly #context: JudgeContext;
  readonly #ownText: string;

  constructor(context: JudgeContext) {
    this.#context = context;
    this.evidence = new Map(context.items.map((item) => [item.id, item]));
    const known = context.items.map(wholeTextOf).join('\n').toLowerCase();
    this.#fill = { evidence: this.evidence, known };
    this.#ownText = context.items.map((item) =>
      item.kind === 'alert' ? JSON.stringify(item.data) : ownTextOf(item)).join('\n').toLowerCase();
  }

  clean(text: string): string {
    return shownText(this.#context.cleanText(text), sentenceMax);
  }

  /** The sentences that can be shown; those that cannot become problems. */
  words(text: string, where: string): Filled {
    const shown = sentencesOf(shownText(text, readingMax)).flatMap((sentence) => {
      const withValues = this.#filled(sentence, where);
      return withValues === null ? [] : [{ ...withValues, text: this.clean(withValues.text) }];
    });
    return {
      text: shownText(shown.map((part) => part.text).join(' ').trim(), readingMax),
      evidence: [...new Set(shown.flatMap(({ evidence }) => evidence))],
    };
  }

  /** The text if all of it can be shown, and nothing needed to be removed from it. */
  whole(text: string, where: string): string | null {
    if (text === '') return null;
    const withValues = this.#filled(text, where);
    if (withValues === null) return null;
    // Cleaning also normalises characters, such as the hyphens that models like.
    const clean = this.clean(withValues.text);
    return clean === withValues.text.normalize('NFKC') ? clean : null;
  }

  /** Whether sources themselves, and not only strangers, name the component. */
  isNamed(component: string): boolean {
    return holdsName(this.#ownText, component) && this.clean(component) === component;
  }

  timeAt(address: string | null): string | null {
    if (address === null) return null;
    try {
      const { value } = cellAt(address, this.evidence);
      return value.kind === 'time' ? isoTime(value.ms) : null;
    } catch (error) {
      if (error instanceof Problem) return null;
      throw error;
    }
  }

  #filled(text: string, where: string): Filled | null {
    try {
      return filled(text, this.#fill);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.problems.push(`${where}: ${error.message}`);
      return null;
    }
  }
}
