/**
 * Orders in a model's words. A claim says what is; one that tells a reader to change something is
 * none, however true the names and numbers in it are.
 */

/** Hardly ever said of anything but doing it. */
const destroying =
  'delet(?:e|ing)|destroy(?:ing)?|wip(?:e|ing)|purg(?:e|ing)|uninstall(?:ing)?|truncat(?:e|ing)|' +
  'shred(?:ding)?|overwrit(?:e|ing)|force-push(?:ing)?|disregard(?:ing)?';
/** Also nouns, and said of what happens by itself: orders where they begin a clause. */
const changing =
  'remove|drop|kill|stop|restart|reboot|reset|scale|disable|silence|mute|ignore|dismiss|close|' +
  'evict|cordon|drain|terminate|revert|redeploy|roll back|switch off|turn off|shut down|' +
  'shutdown|flush|clear|erase|format|detach|unmount|revoke|rotate|patch|edit|apply|install|' +
  'upgrade|downgrade|replace|deploy|run|execute|type|enter|invoke|paste|download|open|visit|go';
/** The same as a remedy: "restarting it helps", "web needs a restart", "should be scaled". */
const remedies = '(?:restart|reboot|scal|roll|kill|remov|stopp|reset|silenc|drain|evict|cordon|' +
  'revert|redeploy|disabl|mut|ignor|clos|flush|clear|replac|upgrad|downgrad|recreat)';
/** With one of these behind it the word is a noun, or said of something. */
const goesOn =
  '(?:of|in|to|is|was|were|are|by|from|on|at|with|and|or|than|has|had|counts?|counters?|rates?|' +
  'times?|events?|loops?|numbers?|polic(?:y|ies)|signals?|errors?|requests?|files?|out|down|up)';

const orders = [
  new RegExp(`\\b(?:${destroying})\\b`, 'gi'),
  new RegExp(
    '(?:^|[.;:,!?(–—-]\\s+(?:afterwards? )?|[.;:!?(]|' +
      '\\b(?:and|then|next|please|must|should|just|now|better|' +
      `(?:need|have|has|want|time|best|wise|safe|advised|recommended) to)\\s+)\\s*(?:${changing})` +
      `\\b(?! (?:${goesOn})\\b)(?=\\s+\\S)`,
    'gi',
  ),
  new RegExp(
    `\\b(?:by|try|consider|suggest|recommend|advise|worth) ${remedies}t?ing\\b|` +
      `\\b${remedies}t?ing\\b[^.,;:]{0,60}\\b(?:fix|mend|help|solve|resolve|restore|cure)|` +
      `\\bneed(?:s|ed)? (?:a|an|to be|only a) (?:\\w+ )?${remedies}|` +
      `\\b(?:should|must|has to|have to|ought to|recommended that [^.,;:]{0,60}) be ${remedies}`,
    'gi',
  ),
  /\byou (?:can|may|should|must|could|ought|need|have to)\b/gi,
];

export function ordersIn(text: string): string[] {
  return orders.flatMap((order) => [...text.matchAll(order)].map(([found]) => found));
}

const reading = new RegExp(
  '^(?:check|compare|look|graph|plot|ask|see|watch|observe|query|inspect|read|review|list|count|' +
    'measure|verify|confirm|examine|investigate|search|correlate|determine|identify|find out|' +
    'view|trace|monitor|note)\\b',
  'i',
);
/** Asked of somebody else, or hidden behind a first harmless verb. */
const handedOn = [
  new RegExp(
    `\\b(?:after|before|by|while|without|when|once|,) (?:you )?(?:${remedies}|dropp)t?ing\\b`, 'i',
  ),
  /\byou (?:have |had )?(?!see\b)\w+ed\b/i,
  /\b(?:and|to|or) (?:share|send|post|upload|forward|publish|e-?mail|disclose|reveal)\b/i,
  /^ask\b.*\b(?:password|passphrase|credentials?|secrets?|tokens?|keys?)\b/i,
  new RegExp(`\\b(?:to|and|or|then|by) (?:${changing})\\b`, 'i'),
  new RegExp(
    '\\b(?:run|type|execute|enter|invoke|by (?:running|typing|executing)) ' +
      `(?!(?:the|an?|this|that|time|${goesOn})\\b)\\p{Ll}`, 'iu',
  ),
  / -{1,2}\p{L}| \/(?:\s|$)|[|;&\\]|\$\(|>>/u,
];

/** Whether a step only looks at something, and holds nothing that a shell might take. */
export function looksOnly(step: string): boolean {
  return reading.test(step) && ordersIn(step).length === 0 &&
    !handedOn.some((pattern) => pattern.test(step));
}
