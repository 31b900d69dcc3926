/** The instances of a service, and what is wrong with them. */
import type { RoutePlan, ServicePlan } from './plan.ts';
import { Target } from './target.ts';

/** What an incident may change about a service, or about some instance or route of it. */
export interface Condition {
  /** Times its own time, without what it calls. */
  readonly timeFactor: number;
  readonly addedSeconds: number;
  /** Share of requests that fail in the service itself. */
  readonly errorShare: number;
  readonly errorCode: string;
  readonly queriesFactor: number;
  /** Share of reads from the cache that miss. */
  readonly missShare: number;
  /** Times the requests from outside. */
  readonly trafficFactor: number;
  /** Times the calls it makes of other services. */
  readonly callsFactor: number;
  readonly cpuFactor: number;
  readonly leakBytesPerSecond: number;
  /** Connections of each instance's pool that are taken and not given back. */
  readonly heldConnections: number;
  /** Times the messages that a worker can take. */
  readonly workFactor: number;
}

export interface Scope {
  /** `catalog-3` */
  readonly instance?: string;
  readonly route?: string;
}

const ordinary: Condition = {
  timeFactor: 1, addedSeconds: 0, errorShare: 0.0005, errorCode: '500', queriesFactor: 1,
  missShare: 0.04, trafficFactor: 1, callsFactor: 1, cpuFactor: 1, leakBytesPerSecond: 0,
  heldConnections: 0, workFactor: 1,
};

export class Instance extends Target {
  /** `catalog-3` */
  readonly name: string;
  version: string;
  /** Seconds since 1970. */
  startedAt = 0;
  leakedBytes = 0;
  /** Connections in use, of its pool. */
  connections = 0;

  constructor(plan: ServicePlan, index: number, address: string) {
    super(plan.name, address, plan.hosts[index] ?? '');
    this.name = `${plan.name}-${index + 1}`;
    this.version = plan.version;
  }

  /** The process ends; its address refuses connections. */
  kill(): void {
    this.state = 'refuses';
  }

  /** A new process: its counters begin at 0. */
  start(seconds: number, version: string = this.version): void {
    this.state = 'answers';
    this.version = version;
    this.startedAt = seconds;
    this.leakedBytes = 0;
    this.metrics.clear();
  }
}

export class Service {
  readonly plan: ServicePlan;
  readonly instances: readonly Instance[];
  #conditions: { readonly change: Partial<Condition>; readonly scope: Scope }[] = [];

  constructor(plan: ServicePlan, instances: readonly Instance[]) {
    this.plan = plan;
    this.instances = instances;
  }

  get name(): string {
    return this.plan.name;
  }

  /** Changes what holds of all, or of one instance or route; a later change outweighs. */
  change(change: Partial<Condition>, scope: Scope = {}): void {
    this.#conditions.push({ change, scope });
  }

  /** Undoes all changes. */
  restore(): void {
    this.#conditions = [];
  }

  /** `route` as in the plan; without one, what holds of the instance as a whole. */
  conditionOf(instance: Instance, route?: string): Condition {
    let result = ordinary;
    for (const { change, scope } of this.#conditions) {
      if (scope.instance !== undefined && scope.instance !== instance.name) continue;
      if (scope.route !== undefined && scope.route !== route) continue;
      result = { ...result, ...change };
    }
    return result;
  }

  /** @throws {Error} if there is none of this name */
  instance(name: string): Instance {
    const found = this.instances.find((each) => each.name === name);
    if (found === undefined) throw new Error(`${this.name} has no instance ${name}`);
    return found;
  }

  /** Starts instances again, all at once or those named, with another version if one is given. */
  restart(seconds: number, version?: string, names?: readonly string[]): void {
    for (const instance of this.instances) {
      if (names === undefined || names.includes(instance.name)) instance.start(seconds, version);
    }
  }

  route(name: string): RoutePlan {
    const found = this.plan.routes.find(({ route }) => route === name);
    if (found === undefined) throw new Error(`${this.name} has no route ${name}`);
    return found;
  }

  live(): readonly Instance[] {
    return this.instances.filter((each) => each.isUp());
  }
}
