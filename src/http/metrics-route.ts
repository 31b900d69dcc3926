import { expositionContentType } from '../telemetry/exposition.ts';
import type { AccessCheck } from './authentication.ts';
import { refuseExpectation } from './health-route.ts';
import { route, type Route } from './router.ts';

export interface MetricsOptions {
  readonly checkAccess: AccessCheck;
  /** Prometheus text format 0.0.4. */
  readonly renderMetrics: () => string;
}

export function createMetricsRoute({ checkAccess, renderMetrics }: MetricsOptions): Route {
  return route('GET', '/metrics', (exchange) => {
    refuseExpectation(exchange);
    checkAccess(exchange);
    return {
      status: 200,
      contentType: expositionContentType,
      body: renderMetrics(),
      headers: ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'],
    };
  });
}
