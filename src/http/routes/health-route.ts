import type { Admission, Readiness } from '../checks/admission.ts';
import { json, uncached, type Reply } from '../exchange.ts';
import { refusal } from '../http-errors.ts';
import { route, type Route } from '../router.ts';

export interface Health {
  /** The journal can be written. */
  readonly canAccept: boolean;
  /** Workers are up and the model, if there is one, is not failing. */
  readonly canAnalyse: boolean;
  /** False after a report could not be stored, until one can be. */
  readonly canStoreReports: boolean;
  /** Jobs waiting and running. */
  readonly queueSize: number;
}

interface HealthOptions {
  readonly admission: Admission;
  readonly readiness: () => Readiness;
  readonly health: () => Health;
}

export function createHealthRoute({ admission, readiness, health }: HealthOptions): Route {
  return route('health', 'GET', '/health', (exchange) => {
    admission.anybody(exchange);
    if (readiness() !== 'ready') throw refusal('notInitialised');
    return healthReply(health());
  });
}

/** 200 even when analyses fail or are not stored: alerts are still accepted. */
function healthReply({ canAccept, canAnalyse, canStoreReports, queueSize }: Health): Reply {
  const whileAccepting = canAnalyse && canStoreReports ? 'healthy' : 'degraded';
  const body = {
    status: canAccept ? whileAccepting : 'unhealthy',
    webhook_endpoint: canAccept ? 'available' : 'unavailable',
    ai_service: canAnalyse ? 'connected' : 'disconnected',
    queue_size: queueSize,
  };
  return json(canAccept ? 200 : 503, body, uncached);
}
