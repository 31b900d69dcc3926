import { systemClock, type Clock } from '../../../src/lib/clock.ts';
import { prometheusIdentity } from '../../../src/sources/prometheus.ts';
import type { SourceAccess, SourceIdentity } from '../../../src/sources/source-access.ts';
import { SourceClient, type RequestOutcome } from '../../../src/sources/source-client.ts';

export interface TestClientOptions extends Partial<SourceAccess> {
  /** Address of its only server; with several, `urls` has them all. */
  readonly url: string;
  readonly identity?: SourceIdentity;
  readonly clock?: Clock;
  readonly answerBytesMax?: number;
  readonly onOutcome?: (outcome: RequestOutcome) => void;
}

/** A client, by default of a Prometheus, without credentials and with the shortest pauses. */
export function testClient(
  { url, clock, answerBytesMax, onOutcome, identity, ...access }: TestClientOptions,
): SourceClient {
  const whole: SourceAccess = {
    urls: [url], token: null, login: null, headers: [], ca: null, timeoutMs: 5_000, ...access,
  };
  return new SourceClient(identity ?? prometheusIdentity, whole, {
    clock: clock ?? systemClock,
    random: () => 0,
    ...(answerBytesMax !== undefined && { answerBytesMax }),
    ...(onOutcome && { onOutcome }),
  });
}
