import { expositionContentType } from '../../telemetry/exposition.ts';
import type { Admission } from '../checks/admission.ts';
import { uncached } from '../exchange.ts';
import { route, type Route } from '../router.ts';
import { SharedReplies } from './shared-replies.ts';

interface MetricsOptions {
  readonly admission: Admission;
  /** Prometheus text format 0.0.4. */
  readonly renderMetrics: () => string;
  /** Whether a connection was accepted in this turn of the event loop. */
  readonly isAccepting: () => boolean;
}

export function createMetricsRoute(
  { admission, renderMetrics, isAccepting }: MetricsOptions,
): Route {
  const shared = new SharedReplies(isAccepting);
  return route('metrics', 'GET', '/metrics', (exchange) => {
    admission.scraper(exchange);
    return shared.reply({ key: '', isGzipped: false }, () => ({
      status: 200,
      contentType: expositionContentType,
      body: renderMetrics(),
      headers: [...uncached, 'X-Content-Type-Options', 'nosniff'],
    }));
  });
}
