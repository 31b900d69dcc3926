import type { Severity } from '../alert/severity.ts';
import type { Report } from '../report/report.ts';
import type { NewsKind } from './chat-news.ts';

/** A kind of chat, and how it is posted to: each body is one that its webhook takes. */
export interface Chat {
  /** Its name in settings and metrics. */
  readonly to: 'slack';
  /** As people write it. */
  readonly title: string;
  /** Minimum pause between posts. */
  readonly pauseMs: number;
  /** The post about a report, which is at `url`. */
  readonly message: (report: Report, about: { news: NewsKind; url: string }) => string;
  /** One post about many incidents. */
  readonly digest: (digest: Digest) => string;
  /** The post by which somebody tests the delivery; `url` is that of the list. */
  readonly test: (url: string) => string;
}

export interface Digest {
  /** The severity of each incident with a new report. */
  readonly firing: readonly Severity[];
  /** How many incidents are over. */
  readonly ended: number;
  /** Address of the list. */
  readonly url: string;
}
