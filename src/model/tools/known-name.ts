import { shownText } from '../../report/shown-text.ts';
import { holdsName } from '../assertions/names.ts';
import { ownTextOf } from '../assertions/whose-words.ts';
import { textArgument, type Argument } from './argument.ts';
import { ToolProblem, type ToolContext } from './tool.ts';

/** The length of a name in Kubernetes. */
const nameMax = 253;

/**
 * A name that the alert's labels or the evidence contain. Text from outside does not count: whoever
 * steers a model by a log line must not make it look where they cannot look themselves.
 */
export function knownName(
  { caseFile, ledger }: Pick<ToolContext, 'caseFile' | 'ledger'>,
  description: string,
): Argument<string> {
  const { schema, read } = textArgument(nameMax, description);
  return {
    schema,
    read(value, path) {
      const name = read(value, path);
      const texts = [JSON.stringify(caseFile.alert.labels), ...ledger.items.map(ownTextOf)];
      if (holdsName(texts.join('\n').toLowerCase(), name)) return name;
      throw new ToolProblem(`No evidence names ${shownText(name, 80)}.`);
    },
  };
}
