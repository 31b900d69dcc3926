import { withFacts } from './earlier-wordings.ts';
import type { Report } from './report.ts';

/** A stored report, of whatever version; throws a SyntaxError for anything else than JSON. */
export function readReport(json: string): Report {
  return withFacts(JSON.parse(json) as Report);
}
