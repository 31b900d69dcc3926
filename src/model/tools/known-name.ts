import type { LabelSet } from '../../alert/labels.ts';
import type { Ledger } from '../../evidence/ledger.ts';
import { shownText } from '../../report/shown-text.ts';
import { holdsName } from '../claims/names.ts';
import { ownTextOf } from '../claims/whose-words.ts';
import { textArgument, type Argument } from './argument.ts';
import { ToolProblem } from './tool.ts';

/** The length of a name in Kubernetes. */
const nameMax = 253;

/**
 * A name that the alert's labels or the evidence contain. Text from outside does not count: whoever
 * steers a model by a log line must not make it look where they cannot look themselves.
 */
export function knownName(
  labels: LabelSet,
  ledger: Ledger,
  description: string,
): Argument<string> {
  const { schema, read } = textArgument(nameMax, description);
  return {
    schema,
    read(value, path) {
      const name = read(value, path);
      const texts = [JSON.stringify(labels), ...ledger.items.map(ownTextOf)];
      if (holdsName(texts.join('\n').toLowerCase(), name)) return name;
      throw new ToolProblem(`No evidence names ${shownText(name, 80)}.`);
    },
  };
}
