/**
 * Finds names in a sentence: tokens that do not look like English words. A pod, metric or label
 * value that is not in the cited evidence was made up.
 */

/** Common terms that are written like names. */
const common = new Set([
  'k8s', 'http1', 'http2', 'http3', 's3', 'ec2', 'ipv4', 'ipv6', 'utf8', 'utf-8', 'sha256', 'md5',
  'sha-256', 'base64', 'x86', 'arm64', 'l4', 'l7', 'i/o', 'tcp/ip', 'and/or', 'n/a', 'e.g', 'i.e',
  'etc', 'vs', 'postgresql', 'mysql', 'rabbitmq', 'mongodb', 'github', 'gitlab', 'coredns',
  'daemonset', 'statefulset', 'replicaset', 'cronjob', 'configmap', 'opensearch', 'clickhouse',
  'javascript', 'node.js', 'pagerduty', 'kubernetes', 'a.m', 'p.m',
]);

const amounts = [
  /^[-+~≈<>=(]*\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?\p{L}{0,12}[%×]?(?:\/\p{L}{1,6})?$/u,
  // Spans, pairs, and amounts before a hyphen.
  /^(?:\d+(?:\.\d+)?(?:ms|[dhms]))+$/,
  /^\d[\d,.]*\p{L}{0,4}[%×]?[-–—/]\d[\d,.]*(?:\p{L}{0,6}|[%×])(?:\/\p{L}{1,6})?$/u,
  /^\d[\d,.]*-\p{L}+(?:-\p{L}+)*$/u,
];
const unitWord = /^(?:[kKMGTPE]i?)?(?:B|bit|Bytes)(?:\/s|ps)?$|^°[CF]$/;
const statusClass = /^[1-5]xx$/i;
const percentile = /^p\d{1,2}(?:\.\d+)?$/i;

function isName(token: string): boolean {
  if (token.length < 2 || unitWord.test(token) || common.has(token.toLowerCase())) return false;
  if (statusClass.test(token) || percentile.test(token)) return true;
  // A version or an address.
  if (/^\d+(?:\.\d+){2,}/.test(token)) return true;
  if (amounts.some((pattern) => pattern.test(token))) return false;
  if (/[_\\{}[\]=@$#]/.test(token) || /\p{L}[:.]\p{L}|::/u.test(token)) return true;
  if (/\p{L}\d|\d\p{L}/u.test(token)) return true;
  if (/\p{Ll}\p{Lu}/u.test(token) || /^\p{Lu}{2,}\p{Ll}{2,}/u.test(token)) return true;
  return /^\/\p{L}|^\p{L}+\/[^/]+\/|\d-\p{L}|\p{L}-\d/u.test(token);
}

/** Begins only where there is none before it, as it would otherwise be read from each sign on. */
const trailing = /(?<![)"'`”’\],.;:!?>])[)"'`”’\],.;:!?>]+$/;

/** The words of a text without the punctuation around them. */
function* tokensOf(text: string): Iterable<{ readonly text: string; readonly at: number }> {
  for (const { 0: word, index } of text.matchAll(/\S+/g)) {
    const lead = /^[("'`“‘[,;<]+/.exec(word)?.[0].length ?? 0;
    const bare = word.slice(lead).replace(trailing, '').replace(/['’]s$/, '');
    if (bare !== '') yield { text: bare, at: index + lead };
  }
}

export function namesIn(text: string): string[] {
  return [...new Set([...tokensOf(text)].map((token) => token.text).filter(isName))];
}

/** Whether a text in lower case contains the name as a whole, not as part of a longer one. */
export function holdsName(text: string, name: string): boolean {
  const sought = name.toLowerCase();
  if (sought === '') return false;
  for (let at = text.indexOf(sought); at !== -1; at = text.indexOf(sought, at + 1)) {
    const end = at + sought.length;
    const isWhole = !/[\p{L}\p{N}_]/u.test(text.charAt(at - 1)) || !/^[\p{L}\p{N}_]/u.test(sought);
    const goesOn = /[\p{L}\p{N}_]/u.test(text.charAt(end)) && /[\p{L}\p{N}_]$/u.test(sought);
    if (isWhole && (!goesOn || /^_(?:bucket|sum|count|total)\b/.test(text.slice(end, end + 8)))) {
      // The "5" in "1.5" is another number.
      if (!/^\d/.test(sought) || !/\d[.,]$/.test(text.slice(Math.max(0, at - 2), at))) return true;
    }
  }
  return false;
}
