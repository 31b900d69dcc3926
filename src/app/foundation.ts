import type { Settings } from '../config/settings.ts';
import type { Clock } from '../lib/clock.ts';
import type { Shutdown } from '../lib/shutdown.ts';
import type { Logger } from '../telemetry/log.ts';
import type { ServiceMetrics } from '../telemetry/service-metrics.ts';

/** What every part of the service is built on. */
export interface Foundation {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ServiceMetrics;
  readonly shutdown: Shutdown;
  /** The service's own version. */
  readonly version: string;
}
