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

/** `one` is a number ahead of a word that may name a thing. */
const oneThing = new RegExp(
  '(?<!\\b(?:this|that|each|every|no|the|only|which|another|any) )\\bone ' +
    '(?!(?:of|that|which|who|whose|or|and|but|in|on|at|to|by|for|from|with|as|is|was|has|had|can|' +
    'may|might|would|will|could|should)\\b)(?=\\p{L})',
  'giu',
);
const timesInOneWord = new RegExp(`\\b(${cardinal})fold\\b`, 'gi');

/** Phrases, which are replaced before single words. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\bhalf an? hour\b/gi, '30 minutes'],
  [/\b(?:a|one) quarter of an hour\b/gi, 'about 15 minutes'],
  [/\b(?:an?|one) (hour|minute|second|day) and a half\b/gi, '1.5 $1s'],
  [/(?<=\d(?:st|nd|rd|th))-(?=percentile|quantile)/gi, ' '],
  [/(?<![\d:.])\b(\d{1,2}) ?([ap])\.?m\b/gi, '$1:00 $2m'],
  [/\bpast week\b/gi, 'past 7 days'],
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
  [/\b(?<over>more than )?doubl(?:ed|ing|es)\b/gi, 'rose $<over>2×'],
  [/\b(?<over>more than )?tripl(?:ed|ing|es)\b/gi, 'rose $<over>3×'],
  [/\b(?<over>more than )?quadrupl(?:ed|ing|es)\b/gi, 'rose $<over>4×'],
  [/\bmore than halv(?:ed|ing|es)\b/gi, 'fell to under 0.5×'],
  [/\bhalv(?:ed|ing|es)\b/gi, 'fell to 0.5×'],
  [/\bdouble (?=(?:the|its|what|that)\b)/gi, '2× '],
  [/\btriple (?=(?:the|its|what|that)\b)/gi, '3× '],
  [/(?<!\bat )\bonce\b(?! (?:the|it|they|this(?! week\b)|that|a|an)\b)/gi, '1 times'],
  [/\btwice\b/gi, '2 times'],
  [/\ba single\b/gi, '1'],
  [/\b(?:none|neither) of (?:the |its |these )?(\d+)\b/gi, '0 of $1'],
  [/(?<!\bthe )\b(only|just|exactly|all but|than|from|to) one\b/gi, '$1 1'],
  [/\b((?:more|less) than|over|under|below|above|nearly|almost|about|roughly) about (?=\d)/gi,
    '$1 '],
  [/\bone of (?=(?:the )?(?:\d|two|three|four|five|six|seven|eight|nine|ten)\b)/gi, '1 of '],
];

/** "All three", once that is a digit. */
const allOf = new RegExp(
  '(?<!\\bbut )\\b(?:all|every one)(?: of)?(?: the| its| these)? (\\d+)\\b' +
    '(?!\\.\\d| ?%| (?:out )?of\\b)', 'gi',
);

/** A duration such as 1h35m. */
const span = /(?<![\w.:/-])(?:\d+(?:\.\d+)?(?:ms|[dhms])){2,}(?![\w-])/g;

export function withDigits(text: string): string {
  const apart = text.replace(span, (whole) => whole.replace(/(?<=[a-z])(?=\d)/g, ' '));
  return phrases.reduce((rest, [pattern, digits]) => rest.replace(pattern, digits), apart)
    .replace(oneThing, '1 ')
    .replace(timesInOneWord, (_all, word: string) => `${valueOf(word)}×`)
    .replace(inWords, (_all, ten?: string, one?: string, word?: string, scale = '') => {
      const sum = valueOf(ten) + valueOf(one) + valueOf(word);
      return String(sum * (scales[scale.toLowerCase()] ?? 1));
    })
    .replace(/\b(\d+) and a half (?=(?:hour|minute|second|day)s\b)/gi,
      'about $1.5 ')
    .replace(/(?<=\d)[- ]?fold\b/gi, '×')
    .replace(allOf, '$1 of $1');
}

function valueOf(word = ''): number {
  const name = word.toLowerCase();
  const ten = tens.indexOf(name);
  return ten === -1 ? Math.max(0, ones.indexOf(name)) : (ten + 2) * 10;
}
