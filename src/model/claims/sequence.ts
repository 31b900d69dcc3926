import type { Facts } from './evidence-facts.ts';
import { isAbout } from './match-number.ts';

const moved = '(?:began|begun|started|rose|risen|jumped|spiked|climbed|climbing|grew|increased|' +
  'slowed|degraded|worsened)';
const fired = '(?:the|this) alert\\b(?: (?:has )?(?:fired|began|started))?';
/** As in "CPU rose before the alert fired". */
const beside = new RegExp(`\\b${moved}\\b[^.;]{0,50}?\\b(before|after) ${fired}`, 'i');
/** As in "the alert fired before CPU rose". */
const turned = new RegExp(
  `\\balert fired\\b[^.;]{0,30}?\\b(before|after)\\b [^.;]{0,40}?\\b${moved}\\b`, 'i',
);
/** What moved may also have gone on moving; and what is unsure is not claimed. */
const goesOn = new RegExp(
  '\\b(?:continu\\w*|further|still|stay\\w*|remain\\w*|kept|keeps|even|again|not|never|no|if|' +
    'whether|may|might|could|would|both)\\b', 'i',
);
/** Moments of evidence are no more precise. */
const grainMs = 60_000;

/** The words by which something moved on the other side of the alert than it did. */
export function wrongSequence(
  text: string,
  { facts, claim, alertBegan }: {
    readonly facts: readonly Facts[];
    readonly claim: string;
    readonly alertBegan: number | null;
  },
): string[] {
  if (alertBegan === null) return [];
  return text.split(/;|\.(?=\s|$)/).flatMap((said) => {
    if (goesOn.test(said)) return [];
    const [back, ahead] = [turned.exec(said), beside.exec(said)];
    const found = back ?? ahead;
    if (found === null) return [];
    const isBefore = (found[1]?.toLowerCase() === 'before') === (back === null);
    const named = said.toLowerCase();
    const times = facts.filter((fact) => isAbout({ claim, named, facts }, fact))
      .flatMap(({ onset }) => onset ?? []);
    const isWrong = times.length > 0 && times.every((at) => {
      return isBefore ? at > alertBegan + grainMs : at < alertBegan - grainMs;
    });
    return isWrong ? [found[0].trim()] : [];
  });
}
