/**
 * Converts numbers in words to digits, so that they are checked like digits. A lone `one` is mostly
 * a pronoun and stays as it is, unless the words beside it make it a count.
 */
const ones = [
  'zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven',
  'twelve', 'thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen',
];
const tens = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const scales: Readonly<Record<string, number>> = { hundred: 100, thousand: 1e3, million: 1e6 };

const cardinal = [...ones.filter((word) => word !== 'one'), ...tens].join('|');
const inWords = new RegExp(
  `(?<!\\p{L}-)\\b(?:(${tens.join('|')})[- ](${ones.slice(1, 10).join('|')})|(${cardinal}))` +
    `(?:[- ](hundred|thousand|million))?\\b`,
  'giu',
);

/** Things that are counted, so that `one` before them is a number. */
const things =
  'alerts?|targets?|pods?|series|replicas?|instances?|errors?|restarts?|minutes?|seconds?|hours?|' +
  'days?|weeks?|percent|times?|episodes?|connections?|nodes?|services?|requests?|containers?|' +
  'cores?|bytes?';
const oneThing = new RegExp(
  '(?<!\\b(?:this|that|each|every|no|the|which|another|any) )\\bone ' +
    `(?=(?:more |other )?(?:${things})\\b)`,
  'gi',
);
const timesInOneWord = new RegExp(`\\b(${cardinal})fold\\b`, 'gi');

/** Phrases, which are replaced before single words. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\bhalf an? hour\b/gi, '30 minutes'],
  [/(?<=\d(?:st|nd|rd|th))-(?=percentile|quantile)/gi, ' '],
  [/(?<![\d:.])\b(\d{1,2}) ?([ap])\.?m\b/gi, '$1:00 $2m'],
  [/\bpast week\b/gi, 'past 7 days'],
  [/\ban hour and a half\b/gi, '90 minutes'],
  [/\b(a|one) (hundred|thousand|million)\b/gi, '1 $2'],
  [/\b(?:an|one) (hour|minute|second|day|week)\b(?= (?:ago|later|after|long|in)\b)/gi, '1 $1'],
  [/\ban hour\b/gi, '1 hour'],
  [/\ba (minute|second)\b/gi, '1 $1'],
  [/\bthree[- ]quarters of\b/gi, 'about 75 % of'],
  [/\btwo[- ]thirds of\b/gi, 'about 66.7 % of'],
  [/\b(?:one|a)[- ]third of\b/gi, 'about 33.3 % of'],
  [/\b(?:one|a)[- ]quarter of\b/gi, 'about 25 % of'],
  [/\bhalf (?:of\b|(?=the\b|its\b|all\b))/gi, 'about 50 % of '],
  [/\b(?:a|one) dozen\b/gi, '12'],
  [/\btwo dozen\b/gi, '24'],
  [/\b(?<over>more than )?(?:doubled|doubling|doubles)\b/gi, 'rose $<over>2×'],
  [/\b(?<over>more than )?(?:tripled|tripling|triples)\b/gi, 'rose $<over>3×'],
  [/\b(?<over>more than )?(?:quadrupled|quadrupling|quadruples)\b/gi, 'rose $<over>4×'],
  [/\bmore than (?:halved|halving|halves)\b/gi, 'fell to under 0.5×'],
  [/\b(halved|halving|halves)\b/gi, 'fell to 0.5×'],
  [/\bdouble (?=(?:the|its|what|that)\b)/gi, '2× '],
  [/\btriple (?=(?:the|its|what|that)\b)/gi, '3× '],
  [/(?<!\bat )\bonce\b(?! (?:the|it|they|this(?! week\b)|that|a|an)\b)/gi, '1 times'],
  [/\btwice\b/gi, '2 times'],
  [/\bthrice\b/gi, '3 times'],
  [/\ba single\b/gi, '1'],
  [/\b(only|just|exactly|all but|than|from|to) one\b/gi, '$1 1'],
  [/\b((?:more|less) than|over|under|below|above|nearly|almost|about|roughly) about (?=\d)/gi,
    '$1 '],
  [/\bone of (?=(?:the )?(?:\d|two|three|four|five|six|seven|eight|nine|ten)\b)/gi, '1 of '],
];

/** A share such as "three in ten", of at most ten. */
const inWordsOrDigits = `${ones.slice(1, 11).join('|')}|[1-9]|10`;
const oneInTen = new RegExp(
  `\\b(${inWordsOrDigits}) (?:in|out of) (?:every )?(${inWordsOrDigits})(?: of)?` +
    '(?= (?:the )?(?:requests?|calls?|queries|answers|responses|transactions)\\b|[.,;)]|$)',
  'gi',
);
/** A duration such as 1h35m. */
const span = /(?<![\w.:/-])(?:\d+(?:\.\d+)?(?:ms|[dhms])){2,}(?![\w-])/g;

export function withDigits(text: string): string {
  const shares = text.replace(oneInTen, (all, part: string, whole: string) => {
    const [some, every] = [part, whole].map((word) => Number(word) || valueOf(word));
    return some === undefined || every === undefined || some >= every ? all
      : `about ${Number((some * 100 / every).toFixed(1))} % of`;
  }).replace(span, (whole) => whole.replace(/(?<=[a-z])(?=\d)/g, ' '));
  const said = phrases.reduce((rest, [pattern, digits]) => rest.replace(pattern, digits), shares);
  return said.replace(oneThing, '1 ')
    .replace(timesInOneWord, (_all, word: string) => `${valueOf(word)}×`)
    .replace(inWords, (_all, ten?: string, one?: string, word?: string, scale = '') => {
      const sum = valueOf(ten) + valueOf(one) + valueOf(word);
      return String(sum * (scales[scale.toLowerCase()] ?? 1));
    })
    .replace(/(?<=\d)[- ]?fold\b/gi, '×');
}

function valueOf(word = ''): number {
  const name = word.toLowerCase();
  const ten = tens.indexOf(name);
  return ten === -1 ? Math.max(0, ones.indexOf(name)) : (ten + 2) * 10;
}
