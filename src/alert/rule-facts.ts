import { parsePromql } from '../lib/promql/promql-tree.ts';
import { resultLabels, selectedLabels } from '../lib/promql/result-labels.ts';
import { longestRangeIn } from '../lib/promql/scalar.ts';
import { expressionIn } from './rule-link.ts';

/** What the expression of an alert's rule says of the alert, as far as it can be read. */
export interface RuleFacts {
  /** The labels for which all of it asks for one value. */
  readonly selected: ReadonlyMap<string, string>;
  /** The labels that its result can have; null where any label of its series may be left. */
  readonly kept: ReadonlySet<string> | null;
  /** The longest time that it looks back over, in ms; 0 if it looks at one moment, or unknown. */
  readonly windowMs: number;
}

const unknownRule: RuleFacts = Object.freeze({ selected: new Map(), kept: null, windowMs: 0 });

/** All alerts of a rule have the same link, and come together. */
const rulesRemembered = 256;
/** Longer links are not read: senders wait for it. */
const linkLengthMax = 4 * 1024;
const remembered = new Map<string, RuleFacts>();

/** Reads the expression in an alert's link; every alert of a rule gets the same object. */
export function ruleFactsOf(generatorURL: string): RuleFacts {
  const known = remembered.get(generatorURL);
  if (known !== undefined) return known;
  if (generatorURL.length > linkLengthMax) return unknownRule;
  const expression = expressionIn(generatorURL);
  const tree = expression === null ? null : parsePromql(expression);
  const facts = expression === null || tree === null ? unknownRule : {
    selected: selectedLabels(expression),
    kept: resultLabels(expression),
    windowMs: (longestRangeIn(tree) || 0) * 1000,
  };
  if (remembered.size >= rulesRemembered) remembered.clear();
  remembered.set(generatorURL, facts);
  return facts;
}
