/**
 * A reporter for `node --test` that prints only the failures and the summary, because a failure is
 * hard to find among thousands of tests. Prints nothing when all tests pass.
 */
import { relative } from 'node:path';
import { inspect } from 'node:util';

/** Lines shown of one failure; some tests compare whole pages. */
const shownMax = 60;

export default async function* failedTests(events) {
  const failures = [];
  const summary = [];
  for await (const { type, data } of events) {
    if (type === 'test:fail' && !failedInSubtests(data)) failures.push(describe(data));
    if (type === 'test:diagnostic' && data.nesting === 0) summary.push(`# ${data.message}\n`);
  }
  if (failures.length > 0) yield ['\n# failed\n', ...failures, ...summary].join('');
}

/** Whether a file or a test failed only because some of its own tests did. */
function failedInSubtests({ details }) {
  return details.error?.failureType === 'subtestsFailed';
}

function describe({ name, file, line, details }) {
  const { error } = details;
  const where = file === undefined ? '' : ` (${relative('', file)}:${line})`;
  const why = inspect(error?.cause ?? error, { colors: false })
    // What was compared: the message that an assertion makes itself has all that differs.
    .replace(/ \{\n +generatedMessage: true[^]*$/, '')
    .split('\n').filter((text) => !/^ +at .*\bnode:/.test(text));
  const missing = why.length - shownMax;
  // The end says where it failed.
  if (missing > 0) why.splice(shownMax / 2, missing, `… ${missing} more lines above`);
  return `# ${name}${where}\n${why.map((text) => `#   ${text}`).join('\n')}\n`;
}
