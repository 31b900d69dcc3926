/**
 * A reporter for `node --test` that says only what failed, with the summary: in an output of
 * thousands of tests a failure is hard to find. Writes nothing when all passed.
 */
import { relative } from 'node:path';
import { inspect } from 'node:util';

export default async function* failedTests(events) {
  const failures = [];
  const summary = [];
  for await (const { type, data } of events) {
    if (type === 'test:fail' && !isOfItsTests(data)) failures.push(said(data));
    if (type === 'test:diagnostic' && data.nesting === 0) summary.push(`# ${data.message}\n`);
  }
  if (failures.length > 0) yield ['\n# failed\n', ...failures, ...summary].join('');
}

/** A file, or a test with tests of its own, that failed only because of those. */
function isOfItsTests({ details }) {
  return details.error?.failureType === 'subtestsFailed';
}

function said({ name, file, line, details }) {
  const { error } = details;
  const where = file === undefined ? '' : ` (${relative('', file)}:${line})`;
  const why = inspect(error?.cause ?? error, { colors: false })
    .split('\n').map((text) => `#   ${text}`).join('\n');
  return `# ${name}${where}\n${why}\n`;
}
