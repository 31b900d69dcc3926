import { labelOf } from '../../alert/labels.ts';
import { escapeRegex } from '../../lib/promql-string.ts';
import { wordsOf, type ListFilter } from '../../report/list-filter.ts';
import { endOf, startOf, type Episode } from '../episode.ts';

export interface ListMatch {
  /** Everything but state and severity, which the page lets people choose with counts. */
  readonly ofPlaceAndTime: (episode: Episode) => boolean;
  readonly ofSeverity: (episode: Episode) => boolean;
  /** Everything but the state. */
  readonly matches: (episode: Episode) => boolean;
}

const labelsSearchedMax = 64;

/** The filter as predicates; `now` is in ms. Labels are known only of open, analysed alerts. */
export function listMatch(filter: ListFilter, now: number): ListMatch {
  const { severity, namespace, sinceMs, to } = filter;
  const from = sinceMs === null ? filter.from : now - sinceMs;
  // Ignores case without copying the text that is searched.
  const patterns = wordsOf(filter).map((word) => new RegExp(escapeRegex(word), 'iu'));
  const ofPlaceAndTime = (episode: Episode): boolean => {
    if (namespace !== null && episode.namespace !== namespace) return false;
    if (from !== null && endOf(episode) < from) return false;
    if (to !== null && startOf(episode) > to) return false;
    return patterns.every((pattern) => mentions(episode, pattern));
  };
  const ofSeverity = (episode: Episode): boolean =>
    severity === null || episode.severity === severity;
  const matches = (episode: Episode): boolean => ofSeverity(episode) && ofPlaceAndTime(episode);
  return { ofPlaceAndTime, ofSeverity, matches };
}

function mentions(episode: Episode, pattern: RegExp): boolean {
  const { name, namespace, conclusion, identity, fingerprint } = episode;
  if (pattern.test(name) || pattern.test(fingerprint)) return true;
  if (namespace !== null && pattern.test(namespace)) return true;
  const { headline = '', cause = null, place = '' } = conclusion ?? {};
  if ([headline, cause ?? '', place].some((text) => pattern.test(text))) return true;
  if (identity === null) return false;
  const names = Object.keys(identity.labels).slice(0, labelsSearchedMax);
  return names.some((label) => pattern.test(labelOf(identity.labels, label) ?? ''));
}
