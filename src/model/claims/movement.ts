/** Words that say which way a value moved, in lower case. */
const thanThen = ' than (?:before|yesterday|usual|normal|a (?:day|week))';

export const rising: RegExp = new RegExp(
  '\\b(?:r[io]s(?:e|es|en|ing)|increas(?:e|es|ed|ing)|grew|grow(?:s|n|ing)?|climb(?:s|ed|ing)?|' +
    'jump(?:s|ed|ing)?|spik(?:es|ed|ing)|surg(?:es|ed|ing)|soar(?:s|ed|ing)?|went up|' +
    `(?:higher|larger|more|slower|longer)${thanThen})\\b`,
);

/** Excludes what looks like a decrease and is none: requests that are "dropped by the gateway". */
export const falling: RegExp = new RegExp(
  '\\b(?:f[ea]ll(?:s|en|ing)?(?! (?:behind|over|out|through))|decreas(?:e|es|ed|ing)|' +
    'declin(?:e|es|ed|ing)|dropp?(?:s|ed|ing)?(?= (?:to|below|sharply|steeply)\\b)|' +
    'dropp?(?:s|ed|ing)?(?= (?:from|by) (?:(?:about|around|nearly|over|more than|its|the) )*\\d)|' +
    'stopp(?:ed|ing)|ceas(?:ed|es|ing)|sank|shr[au]nk|plung(?:es|ed|ing)|' +
    'plummet(?:s|ed|ing)?|went down|' +
    `(?:lower|smaller|less|fewer|faster|shorter)${thanThen})\\b`,
);

/** 1 if the words say that something rose, -1 if it fell, 0 if neither or both. */
export function directionIn(text: string): number {
  return Number(rising.test(text)) - Number(falling.test(text));
}
