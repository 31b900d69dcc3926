/**
 * An incident of the lab, and how to add one.
 *
 * One incident is one file in `incidents/`, which the lab finds by itself: it exports `incident`,
 * of the type below. Write down the truth before you cause it: `truth.says` is what an experienced
 * colleague would say after a minute, and the patterns are what the report is judged by. Then
 *
 *     npx tsx scripts/lab.ts --incident NAME
 *
 * runs it in about five minutes and prints what the report said, and how it was judged. Reports are
 * judged by patterns over their text, so a pattern must accept every wording of what is true: names
 * that occur in labels (`checkout`, `1\.13\.0`, `db-1`) do, whole sentences do not.
 *
 * What there is, is in `shop/plan.ts`: services with their calls, stores, hosts, queues, probes,
 * cron jobs. The rules are in `rules.ts`; an incident may bring more. It happens to the live shop:
 *
 *     shop.service('checkout').change({ queriesFactor: 10 })   // see Condition in shop/service.ts
 *     shop.service('catalog').change({ errorShare: 0.4 }, { instance: 'catalog-3' })
 *     shop.service('checkout').restart(shop.now, '1.13.0')     // a release
 *     shop.service('search').instance('search-1').kill()       // and .start(shop.now)
 *     shop.traffic = 3;  shop.tenantFactor.set('t121', 80)
 *     shop.outside.set('acquirer', { seconds: 3, failed: 0.2 })
 *     shop.cutNetwork('app-3', true)
 *     shop.host('db-1').fill.set('/var/lib/postgresql', 500e6) // bytes per second
 *     shop.host('app-2').clockOffsetSeconds = 40
 *     shop.database.sessions.push({ user, database, state, count: 0, perSecond: 1 })
 *     shop.replica.lagPerSecond = 1;  shop.cache.usedShare = 1
 *     shop.broker.publish('emails', 500)
 *     shop.probe('https://shop.example.net/').failure = 502    // or .expiresAt = …
 *     shop.cron.stopped.add('price-import')
 *
 * and whatever else a target exposes: `target.metrics.set(name, labels, value)` for a gauge,
 * `.add(name, labels, by)` for a counter, `.remove(name, labels)`, in a function in `shop.each`,
 * which is called every second after everything else. A series that has to have a past is written
 * by `always`, which is called in the history too. What is done by conditions, traffic, sessions,
 * lag and cron jobs is undone by itself after `end`; `end` has to undo everything else.
 */
import type { Classification } from '../../src/report/report.ts';
import type { Rule } from './rules.ts';
import type { Shop } from './shop/shop.ts';
import type { World } from './worlds/world.ts';

export interface LabIncident {
  /** As the file: `pool-held`. */
  readonly name: string;
  /** Half of the incidents are seen by whoever improves the service, the other half only judges. */
  readonly seen: boolean;
  /** What is done, in a sentence. */
  readonly what: string;
  readonly truth: Truth;
  /** It happens there, behind a Prometheus of its own, and not in the shop. */
  readonly world?: (origin: number, seed: number) => World;
  /** Further rules, which apply while it lasts; in a world of its own, all rules, at all times. */
  readonly rules?: readonly Rule[];
  /** Called in every step of the history and live, before the incident as well. */
  readonly always?: (shop: Shop, dt: number) => void;
  readonly cause: (shop: Shop) => void;
  readonly end: (shop: Shop) => void;
  /** Its alerts end as its rules are taken away, because nothing else would end them. */
  readonly endsWithRules?: boolean;
  /** PromQL that has a result a minute after the first notification if the truth is caused. */
  readonly proofs?: readonly string[];
  /** How long to wait for the first notification; default 180 s. */
  readonly firesWithinSeconds?: number;
}

/** Patterns are applied to a text without regard to case. */
export interface Truth {
  /** What an experienced colleague says within the first minute. */
  readonly says: string;
  /** Names of the alerts that fire; the report of the one that is notified first is judged. */
  readonly alerts: readonly string[];
  /** Names of alerts that fire for reasons of their own, which are not judged. */
  readonly unrelated?: readonly string[];
  /** How the alert may be classified while it fires; default actionable. */
  readonly classifications?: readonly Classification[];
  /**
   * What the first screen must say of the cause, in the headline or as the most likely cause: the
   * kind of thing that happened. The alert's own name does not count.
   */
  readonly cause: RegExp;
  /** Whose doing it is; null where the cause has no name beyond it. */
  readonly culprit: RegExp | null;
  /** What else is true, such as consequences: may be called likely, confirmed. */
  readonly holds?: readonly RegExp[];
  /** What is false: may not be called likely or confirmed. */
  readonly isFalse?: readonly RegExp[];
  /** What may not be ruled out. */
  readonly mayNotBeRuledOut?: RegExp;
  /** A first step that helps here: its text or its command. It must not need what is not here. */
  readonly step: RegExp;
  /** The onset is not judged, as what is wrong has no beginning. */
  readonly hasNoOnset?: boolean;
  /** Rows of the list that its alerts should make; default 1. */
  readonly rows?: number;
}
