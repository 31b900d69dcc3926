import { certainties, type Certainty } from './report.ts';

/** Confirmed or likely: certain enough to stand for the cause. */
export function isEstablished({ certainty }: { readonly certainty: Certainty }): boolean {
  return certainty === 'confirmed' || certainty === 'likely';
}

/** Sorts the most certain first. */
export function byCertainty(
  a: { readonly certainty: Certainty },
  b: { readonly certainty: Certainty },
): number {
  return certainties.indexOf(a.certainty) - certainties.indexOf(b.certainty);
}
