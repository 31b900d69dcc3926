import {
  readExpression, type ReadComparison, type RuleReading,
} from '../../src/evidence/rule/rule-expression.ts';

const nothing = {
  compared: null, operator: null, threshold: null, limit: null, unit: null,
  isRescaled: false, hasMoreConditions: false, returnsOther: false,
};

type Read = { readonly [Name in keyof ReadComparison]: ReadComparison[Name] | null } & RuleReading;

/** A rule's reading with the members of its comparison beside the others. */
export function readRule(expression: string): Read {
  const reading = readExpression(expression);
  return { ...nothing, ...reading.comparison, ...reading };
}
