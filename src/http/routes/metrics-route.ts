import { expositionContentType } from '../../telemetry/exposition.ts';
import { refuseExpectation } from '../checks/admission.ts';
import type { AccessCheck } from '../checks/authentication.ts';
import { uncached } from '../exchange.ts';
import { route, type Route } from '../router.ts';
import { SharedReplies } from './shared-replies.ts';

interface MetricsOptions {
  readonly checkAccess: AccessCheck;
  /** Prometheus text format 0.0.4. */
  readonly renderMetrics: () => string;
}

export function createMetricsRoute({ checkAccess, renderMetrics }: MetricsOptions): Route {
  const shared = new SharedReplies();
  return route('metrics', 'GET', '/metrics', (exchange) => {
    refuseExpectation(exchange);
    checkAccess(exchange);
    return shared.reply({ key: '', isGzipped: false }, () => ({
      status: 200,
      contentType: expositionContentType,
      body: renderMetrics(),
      headers: [...uncached, 'X-Content-Type-Options', 'nosniff'],
    }));
  });
}
