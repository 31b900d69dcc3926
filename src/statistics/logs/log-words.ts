/** The program is dying, or its machine is out of memory or disk: a single line is news. */
const grave = new RegExp(
  '\\b(?:panic(?:ked)?|(?<!non[- ]?)fatal|oom(?:-?kill\\w*)?|outofmemory\\w*|out of memory|' +
  'segfault|segmentation (?:fault|violation)|sig(?:segv|abrt|bus)|core dumped|' +
  'no space left|read-only file ?system)\\b',
  'i',
);

/** Beginnings of words of failure, and endings of names such as those of exceptions. */
const failing = new RegExp(
  '\\b(?:fail|error|exception|refus|den(?:y|ied)|timeout|timed[ -]out|time[ -]out|unavailable|' +
  'unreachable|unhealthy|abort|crash|kill|died|dead|reject|invalid|cannot|can\'t|could not|' +
  'unable|lost|exhaust|exceed|expired|reset|broken|corrupt|panic|fatal|evict|backoff|back-off)' +
  '|(?:error|exception|timeout|failed|failure)\\b',
  'i',
);

/** Whether a text says that a program is dying, or that its machine is out of memory or disk. */
export function isGrave(text: string): boolean {
  return grave.test(text);
}

export function isFailing(text: string): boolean {
  return failing.test(text);
}
