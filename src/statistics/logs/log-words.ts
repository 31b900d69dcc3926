/** A program that says this is dying, or the machine under it is in need: one line is news. */
const grave = new RegExp(
  '\\b(?:panic(?:ked)?|(?<!non[- ]?)fatal|oom(?:-?kill\\w*)?|outofmemory\\w*|out of memory|' +
  'segfault|segmentation (?:fault|violation)|sig(?:segv|abrt|bus)|core dumped|' +
  'no space left|read-only file ?system)\\b',
  'i',
);

/** The beginnings of words of failure, and the ends of names like those of exceptions. */
const failing = new RegExp(
  '\\b(?:fail|error|exception|refus|den(?:y|ied)|timeout|timed[ -]out|time[ -]out|unavailable|' +
  'unreachable|unhealthy|abort|crash|kill|died|dead|reject|invalid|cannot|can\'t|could not|' +
  'unable|lost|exhaust|exceed|expired|reset|broken|corrupt|panic|fatal|evict|backoff|back-off)' +
  '|(?:error|exception|timeout|failed|failure)\\b',
  'i',
);

/** Whether a text says that a program dies, or that its machine has no memory or disk left. */
export function isGrave(text: string): boolean {
  return grave.test(text);
}

/** Whether a text has a word of failure. */
export function isFailing(text: string): boolean {
  return failing.test(text);
}
