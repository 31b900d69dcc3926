import type { Facts } from './evidence-facts.ts';

/**
 * What is left of something falls when its use rises: "free space", "success ratio". Claims and
 * metrics may speak of either side.
 */
const restInText = new RegExp(
  '\\b(?:free|avail\\w*|headroom|remain(?:s|ing)?|spare|idle|unused|capacity|success|' +
    'performance|speed|budget|hits?|left|uptime|reliability|quality)\\b',
);
const restInNames = /avail|success|remain|free|unused|idle|uptime|headroom|budget|\bhits?\b/;
/** Use may be computed from what is free. */
const useInNames = /used|usage|utili[sz]|\b1(?:00)? ?-/;

/** Whether a text in lower case speaks of what is left. */
export function speaksOfRest(text: string): boolean {
  return restInText.test(text);
}

/** Whether an item measures what is left. */
export function measuresRest({ text }: Facts): boolean {
  return restInNames.test(text) && !useInNames.test(text);
}
