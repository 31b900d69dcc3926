/** One scraped process: where it is, whether it answers, and what it exposes. */
import { Metrics, type Labels } from './metrics.ts';

export type Reachability =
  | 'answers'
  /** Nothing listens there: the connection is refused. */
  | 'refuses'
  /** Nothing comes back: the scrape runs into its timeout. */
  | 'silent';

export class Target {
  readonly job: string;
  /** The label `instance`, which is not the address that is scraped. */
  readonly instance: string;
  /** Null for what is probed from outside. */
  readonly host: string | null;
  readonly metrics: Metrics = new Metrics();
  state: Reachability = 'answers';

  constructor(job: string, instance: string, host: string | null) {
    this.job = job;
    this.instance = instance;
    this.host = host;
  }

  /** Those that Prometheus adds. */
  labels(): Labels {
    const { job, instance, host } = this;
    return { job, instance, ...(host !== null && { host }) };
  }

  isUp(): boolean {
    return this.state === 'answers';
  }
}
