import { metricWords } from './metric-words.ts';

const ownCalls = new RegExp('(^|_)(client|outgoing|outbound|egress)_(\\w+_)?' +
  '(requests?|calls?|rpcs?|handled|started|operations?|commands?|quer(y|ies))(_|$)' +
  // Other "client errors" are those of whoever calls.
  '|(^|_)(redis|db|sql|pg|postgres|mysql|mongodb)_client_(errors|failures)(_|$)');

/** Most names have none of these, and need not be taken apart. */
const anyOwnCalls = /client|outgoing|outbound|egress/i;

/** Whether a metric counts the calls that its component makes, rather than those it takes. */
export function isOfOwnCalls(metric: string): boolean {
  return anyOwnCalls.test(metric) && ownCalls.test(metricWords(metric));
}
