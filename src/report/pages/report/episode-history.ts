import { parseTime } from '../../../alert/timestamp.ts';
import { episodeStrip } from '../../charts/episode-strip.ts';
import type { Html } from '../../html.ts';
import type { View } from './view.ts';

/** The listed episodes of the last 30 days as a strip; nothing when there is only this one. */
export function episodeHistory({ report, now }: View): Html {
  const episodes = report.history.episodes.flatMap(({ number, starts_at: from, ends_at: to }) => {
    const fromMs = parseTime(from);
    const isThis = number === report.episode.number;
    const toMs = to === null ? null : parseTime(to);
    return fromMs === null ? [] : [{ number, fromMs, toMs, isThis }];
  });
  return episodeStrip(episodes, now);
}
