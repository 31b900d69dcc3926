/** The whole shop: moves on in steps, in the history and live alike. */
import { exposeCalls, exposePool, exposeProcess, exposeRoute } from './expose.ts';
import { Cron, Host, Probe } from './hosts.ts';
import type { MetricsState } from './metrics.ts';
import { dayWave, Noise } from './noise.ts';
import * as plan from './plan.ts';
import { Instance, Service } from './service.ts';
import { Broker, Cache, Database, Replica } from './stores.ts';
import type { Target } from './target.ts';

/** What a caller of a route sees. */
interface Answer {
  readonly seconds: number;
  /** Share of calls that fail. */
  readonly failed: number;
}

export interface ShopState {
  /** When its history began; and now. */
  readonly origin: number;
  readonly now: number;
  readonly levels: readonly (readonly [string, number])[];
  readonly targets: readonly {
    readonly metrics: MetricsState;
    readonly version?: string;
    readonly startedAt?: number;
  }[];
}

/** One instance in one step, before the requests are counted. */
interface Load {
  readonly service: Service;
  readonly instance: Instance;
  readonly dt: number;
}

const poolTimeoutSeconds = 2;

export class Shop {
  readonly services: readonly Service[];
  readonly hosts: readonly Host[];
  readonly database: Database = new Database();
  readonly replica: Replica = new Replica();
  readonly cache: Cache = new Cache();
  readonly broker: Broker = new Broker();
  readonly probes: readonly Probe[];
  readonly cron: Cron = new Cron(plan.cronJobs);
  /** Times all requests from outside. */
  traffic = 1;
  /** Times the requests of one tenant. */
  readonly tenantFactor: Map<string, number> = new Map();
  /** What is outside of the shop: seconds and failing share of a call. */
  readonly outside: Map<string, Answer> = new Map(Object.entries(plan.outside)
    .map(([name, seconds]) => [name, { seconds, failed: 0 }]));
  readonly noise: Noise;
  /** Called in each step, after everything else, with its time and its length in seconds. */
  readonly each: Set<(seconds: number, dt: number) => void> = new Set();
  /** When its history begins; it and `now` are seconds since 1970. */
  readonly origin: number;
  now: number;
  /** Requests per second, by `service route`. */
  #demand = new Map<string, number>();
  #answers = new Map<string, Answer>();

  constructor(origin: number, seed = 1) {
    this.origin = origin;
    this.now = origin;
    this.noise = new Noise(seed);
    let address = 10;
    this.services = plan.services.map((service) => {
      const instances = service.hosts.map((_, index) =>
        new Instance(service, index, `10.4.0.${address += 1}:8080`));
      return new Service(service, instances);
    });
    this.hosts = Object.entries(plan.hosts).map(([name, disks]) => new Host(name, disks));
    this.probes = Object.entries(plan.probes)
      .map(([url, days]) => new Probe(url, origin + (days + 1) * 86_400));
    for (const service of this.services) service.restart(origin - 3 * 86_400);
    for (const host of this.hosts) host.bootedAt = origin - 30 * 86_400;
    this.database.startedAt = origin - 20 * 86_400;
    this.cache.startedAt = origin - 20 * 86_400;
  }

  targets(): readonly Target[] {
    const { services, hosts, database, replica, cache, broker, probes, cron } = this;
    const instances = services.flatMap((service) => service.instances);
    return [...instances, ...hosts, database, replica, cache, broker, ...probes, cron];
  }

  /** @throws {Error} if there is none of this name */
  service(name: string): Service {
    return known(this.services.find((each) => each.name === name), name);
  }

  /** @throws {Error} if there is none of this name */
  host(name: string): Host {
    return known(this.hosts.find((each) => each.name === name), name);
  }

  /** @throws {Error} if this address is not probed */
  probe(url: string): Probe {
    return known(this.probes.find(({ instance }) => instance === url), url);
  }

  /** Cuts a host's network, or repairs it. */
  cutNetwork(name: string, isCut: boolean): void {
    this.host(name).isCutOff = isCut;
    for (const target of this.targets()) {
      if (target.host === name) target.state = isCut ? 'silent' : 'answers';
    }
  }

  /** Puts everything right that the shop itself knows; what an incident added, it removes. */
  restore(): void {
    for (const service of this.services) service.restore();
    this.traffic = 1;
    this.tenantFactor.clear();
    this.database.sessions.length = 0;
    this.database.queryFactor = 1;
    this.replica.lagPerSecond = -10;
    this.cron.stopped.clear();
    this.cron.failing.clear();
  }

  /** What the history leaves behind; not what an incident does. */
  state(): ShopState {
    return {
      origin: this.origin,
      now: this.now,
      levels: this.noise.state(),
      targets: this.targets().map((target) => ({
        metrics: target.metrics.state(),
        ...(target instanceof Instance
          && { version: target.version, startedAt: target.startedAt }),
      })),
    };
  }

  /** Goes on from where another shop was, which had the same origin. */
  adopt(state: ShopState): void {
    this.now = state.now;
    this.noise.adopt(state.levels);
    for (const [index, target] of this.targets().entries()) {
      const { metrics, version, startedAt } = state.targets[index] ?? {};
      target.metrics.adopt(metrics ?? []);
      if (!(target instanceof Instance)) continue;
      target.version = version ?? target.version;
      target.startedAt = startedAt ?? target.startedAt;
    }
  }

  /** Moves the shop on to this time. */
  advance(seconds: number): void {
    const dt = seconds - this.now;
    this.now = seconds;
    this.noise.begin(dt);
    this.#spread();
    for (const service of this.services.toReversed()) this.#serve(service, dt);
    this.cache.step(this.noise);
    this.broker.step();
    this.database.step(dt, this.noise);
    this.replica.step(dt, this.noise);
    for (const host of this.hosts) host.step(seconds, dt, this.noise);
    for (const probe of this.probes) probe.step(seconds, this.noise);
    this.cron.step(seconds, this.noise);
    for (const hook of this.each) hook(seconds, dt);
  }

  /** Requests from outside, and the calls that they cause; callers come before what they call. */
  #spread(): void {
    this.#demand = new Map();
    const add = (to: string, rate: number): void =>
      void this.#demand.set(to, (this.#demand.get(to) ?? 0) + rate);
    const wave = this.traffic * dayWave(this.now) * this.noise.level('traffic', 0.06);
    for (const service of this.services) {
      const first = service.instances[0];
      if (first === undefined) continue;
      for (const { route, rate = 0, calls = [] } of service.plan.routes) {
        const { trafficFactor, callsFactor } = service.conditionOf(first, route);
        const factor = service.plan.hasTenants === true ? this.#tenantShare() : 1;
        add(`${service.name} ${route}`, rate * wave * trafficFactor * factor);
        const all = this.#demand.get(`${service.name} ${route}`) ?? 0;
        if (service.live().length === 0) continue;
        for (const { to, route: called, times } of calls) {
          add(`${to} ${called}`, all * times * callsFactor);
        }
      }
    }
  }

  /** By how much the tenants' own factors raise their service's traffic. */
  #tenantShare(): number {
    const factors = plan.tenants.map((tenant) => this.tenantFactor.get(tenant) ?? 1);
    return factors.reduce((sum, factor) => sum + factor, 0) / factors.length;
  }

  /** What it calls has been served before. */
  #serve(service: Service, dt: number): void {
    const live = service.live();
    const seen = new Map<string, Answer[]>();
    for (const instance of live) {
      const load = { service, instance, dt };
      const pool = this.#usePool(load, live.length);
      let busy = 0.01;
      for (const { route } of service.plan.routes) {
        const rate = (this.#demand.get(`${service.name} ${route}`) ?? 0) / live.length;
        const answer = this.#answerOf(load, route, pool);
        seen.set(route, [...seen.get(route) ?? [], answer]);
        this.#count(load, route, { rate, answer });
        busy += rate * service.route(route).seconds * 0.4;
      }
      this.#work(load);
      busy = Math.min(1, busy * service.conditionOf(instance).cpuFactor);
      instance.leakedBytes += service.conditionOf(instance).leakBytesPerSecond * dt;
      this.host(instance.host ?? '').useCores(busy);
      exposeProcess(service, instance, { busy, dt, noise: this.noise });
    }
    for (const { route } of service.plan.routes) {
      const all = seen.get(route) ?? [];
      const mean = (of: (each: Answer) => number): number =>
        all.reduce((sum, each) => sum + of(each), 0) / all.length;
      this.#answers.set(`${service.name} ${route}`, all.length === 0
        ? { seconds: 0.002, failed: 1 }
        : { seconds: mean(({ seconds }) => seconds), failed: mean(({ failed }) => failed) });
    }
  }

  #queriesOf({ service, instance }: Load, route: string): number {
    const { queries = 0, reads = 0 } = service.route(route);
    const { queriesFactor, missShare } = service.conditionOf(instance, route);
    return (queries + reads * missShare) * queriesFactor;
  }

  /** Waiting seconds and the failing share of requests that need a connection. */
  #usePool(load: Load, instances: number): Answer {
    const { service, instance, dt } = load;
    const { database, poolSize: size = 10, routes, style } = service.plan;
    if (database === undefined) return { seconds: 0, failed: 0 };
    const perSecond = routes.reduce((sum, { route }) => {
      const rate = (this.#demand.get(`${service.name} ${route}`) ?? 0) / instances;
      return sum + rate * this.#queriesOf(load, route);
    }, 0);
    const secondsPerQuery = this.database.secondsPerQuery();
    const held = Math.min(size, service.conditionOf(instance).heldConnections);
    const free = size - held;
    const wanted = perSecond * secondsPerQuery;
    const failed = wanted === 0 ? 0 : Math.max(0, 1 - free * 0.95 / wanted);
    const full = this.database.isFull() ? 0.3 : 0;
    const used = Math.min(free, wanted) + held;
    const busyShare = free === 0 ? 1 : Math.min(0.95, wanted / free);
    const seconds = failed > 0
      ? poolTimeoutSeconds * Math.max(0.3, failed)
      : secondsPerQuery * busyShare / (1 - busyShare);
    const queries = this.noise.count(perSecond * dt * (1 - failed));
    instance.connections = used;
    this.database.use(service.name, database, used, queries);
    exposePool(instance, style, {
      used: Math.min(size, held + this.noise.count(used - held)),
      size, queries, secondsPerQuery,
      waiting: Math.round(perSecond * failed * poolTimeoutSeconds),
      timedOut: this.noise.count(perSecond * failed * dt),
    });
    return { seconds, failed: Math.max(failed, full) };
  }

  #answerOf(load: Load, route: string, pool: Answer): Answer {
    const { service, instance } = load;
    const { seconds: own, calls = [] } = service.route(route);
    const condition = service.conditionOf(instance, route);
    const queries = this.#queriesOf(load, route);
    const needsPool = queries > 0;
    let seconds = own * condition.timeFactor * this.noise.level(`${instance.name} ${route}`, 0.05)
      + condition.addedSeconds + queries * this.database.secondsPerQuery()
      + (needsPool ? pool.seconds : 0);
    let succeeded = (1 - condition.errorShare) * (needsPool ? 1 - pool.failed : 1);
    for (const { to, route: called, times } of calls) {
      const answer = this.#callOf(to, called);
      seconds += answer.seconds * times * condition.callsFactor;
      succeeded *= 1 - answer.failed;
    }
    return { seconds, failed: 1 - succeeded };
  }

  #callOf(to: string, route: string): Answer {
    return this.outside.get(to) ?? this.#answers.get(`${to} ${route}`) ?? { seconds: 0, failed: 1 };
  }

  /** Counts the requests of one route, and what they caused elsewhere. */
  #count(
    load: Load,
    route: string,
    { rate, answer }: { readonly rate: number; readonly answer: Answer },
  ): void {
    const { service, instance, dt } = load;
    const { calls = [], reads = 0, publishes = [] } = service.route(route);
    const { style, hasTenants } = service.plan;
    const condition = service.conditionOf(instance, route);
    const count = this.noise.count(rate * dt);
    const failed = Math.min(count, this.noise.count(count * answer.failed));
    const { seconds } = answer;
    exposeRoute(instance, style, { route, count, failed, code: condition.errorCode, seconds });
    for (const { to, route: called, times } of calls) {
      const call = this.#callOf(to, called);
      const made = count * times * condition.callsFactor;
      const lost = this.noise.count(made * call.failed);
      exposeCalls(instance, style, {
        to, count: made, failed: Math.min(made, lost), seconds: call.seconds,
      });
    }
    if (reads > 0) {
      const all = count * reads;
      const misses = all * condition.missShare;
      this.cache.use(all, misses);
      instance.metrics.add('cache_requests_total', { result: 'hit' }, all - misses);
      instance.metrics.add('cache_requests_total', { result: 'miss' }, misses);
    }
    for (const queue of publishes) this.broker.publish(queue, count - failed);
    if (hasTenants === true) this.#countTenants(instance, count);
  }

  #countTenants(instance: Instance, count: number): void {
    const weights = plan.tenants.map((tenant, index) =>
      (this.tenantFactor.get(tenant) ?? 1) * (1 + 0.3 * Math.sin(index)));
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    for (const [index, tenant] of plan.tenants.entries()) {
      const share = (weights[index] ?? 0) / all;
      instance.metrics.add('tenant_requests_total', { tenant }, count * share);
    }
  }

  #work({ service, instance, dt }: Load): void {
    const { takes } = service.plan;
    if (takes === undefined) return;
    const { workFactor, errorShare } = service.conditionOf(instance);
    const capacity = takes.perSecond * workFactor * dt;
    this.broker.consume(takes.queue, capacity);
    const waiting = this.broker.depth.get(takes.queue) ?? 0;
    const published = this.#demand.get('checkout POST /orders') ?? 0;
    const done = Math.min(capacity, (waiting / service.live().length) + published / 2 * dt);
    const failed = this.noise.count(done * errorShare);
    const labels = { queue: takes.queue };
    instance.metrics.add('worker_jobs_total', { ...labels, result: 'done' }, done - failed);
    instance.metrics.add('worker_jobs_total', { ...labels, result: 'failed' }, failed);
  }
}

function known<T>(found: T | undefined, name: string): T {
  if (found === undefined) throw new Error(`The shop has no ${name}`);
  return found;
}
