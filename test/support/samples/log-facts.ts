import type {
  LogFacts, LogNews, RateFacts, TroubleFacts,
} from '../../../src/evidence/logs/log-facts.ts';
import { caseNow } from './case-files.ts';

const minute = 60_000;
/** The end of the period before the trouble in these facts, which are from `caseNow`. */
export const splitMs: number = caseNow - 40 * minute;

export function someNews(over: Partial<LogNews> = {}): LogNews {
  return {
    pattern: 'connection to <*> <*> refused', kind: 'new', before: 0, after: 12,
    beforePerMinute: 0, afterPerMinute: 0.3, level: 'error',
    firstAtMs: caseNow - 9 * minute, lastAtMs: caseNow - minute,
    example: 'connection to a b', ...over,
  };
}

export interface LogFactsOver extends Partial<Omit<LogFacts, 'source' | 'trouble' | 'rate'>> {
  readonly source?: Partial<LogFacts['source']>;
  readonly trouble?: Partial<TroubleFacts> | null;
  /** Default null. */
  readonly rate?: Partial<RateFacts> | null;
}

/** Facts about a log with one new message. */
export function someLogFacts(over: LogFactsOver = {}): LogFacts {
  const { source = {}, trouble = {}, rate = null, ...rest } = over;
  const window = { fromMs: splitMs - 60 * minute, splitMs, toMs: caseNow };
  return {
    window, emptyUntilMs: null, gap: null, ...rest,
    source: {
      state: 'ok', durationMs: 1, queries: 5, evidence: 'E1', failures: [], mayAnswerLater: false,
      ...source,
    },
    trouble: trouble && {
      owner: 'pod cart-1', before: 3, after: 15, beforeFromMs: window.fromMs,
      afterFromMs: splitMs, patterns: 4, news: [someNews()], evidence: 'E1', ...trouble,
    },
    rate: rate && {
      owner: 'pod cart-1', beforePerMinute: 40, afterPerMinute: 42, silentFrom: null,
      silentSinceMs: null, toMs: caseNow, evidence: 'E1', ...rate,
    },
  };
}
