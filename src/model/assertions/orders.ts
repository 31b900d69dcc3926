/**
 * Finds orders in a model's words. A claim says what is; one that tells the reader to change
 * something is not accepted, however true its names and numbers are.
 */

/** Orders wherever they occur: these words hardly mean anything else. */
const destroying =
  'delet(?:e|ing)|destroy(?:ing)?|wip(?:e|ing)|purg(?:e|ing)|uninstall(?:ing)?|truncat(?:e|ing)|' +
  'shred(?:ding)?|overwrit(?:e|ing)|force-push(?:ing)?|disregard(?:ing)?';
/** Orders only at the start of a clause: elsewhere they are also nouns, or happen by themselves. */
const changing =
  'remove|drop|kill|stop|restart|reboot|reset|scale|disable|silence|mute|ignore|dismiss|close|' +
  'evict|cordon|drain|terminate|revert|redeploy|roll back|switch off|turn off|shut down|' +
  'shutdown|flush|clear|erase|format|detach|unmount|revoke|rotate|patch|edit|apply|install|' +
  'upgrade|downgrade|replace|deploy|run|execute|type|enter|invoke|paste|download|open|visit|go';
/** Stems of the same as remedies: "restarting it helps", "needs a restart", "should be scaled". */
const remedies = '(?:restart|reboot|scal|roll|kill|remov|stopp|reset|silenc|drain|evict|cordon|' +
  'revert|redeploy|disabl|mut|ignor|clos|flush|clear|replac|upgrad|downgrad|recreat)';
/** Followed by one of these, the word is a noun or a statement. */
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
/** Orders passed on to somebody else, or hidden behind a harmless first verb. */
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

/** A step that says that there is no need for one. */
const calming = new RegExp(
  '\\b(?:nothing (?:is )?wrong|false alarm|harmless|benign|ignored?|nobody|no (?:need|impact)|' +
    '(?:is|are|looks?) (?:all )?(?:fine|ok|okay|safe|expected|planned))\\b', 'i',
);

/** Whether a step only looks at something, and contains nothing that a shell would interpret. */
export function readsOnly(step: string): boolean {
  return reading.test(step) && ordersIn(step).length === 0 &&
    ![...handedOn, calming].some((pattern) => pattern.test(step));
}
