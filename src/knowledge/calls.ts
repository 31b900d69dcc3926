/**
 * The calls that a component makes to stores, as many libraries count them: by the store, or if the
 * metric may be of several, by its label for that.
 */
const clients = {
  redis: '(redis_client|redis|lettuce)',
  database: '(django_)?(db|sql|pg|postgres|mysql|mongodb)(_client|_driver)?',
} as const;
const calls = '(_(call|command|operation|query|request|statement)s?)?';

/**
 * The rates of what has this ending, with the store; `own` are the matchers of the component. A
 * rate drops the name of a metric, and two metrics with the same labels would make the query fail.
 */
function ratesOf(own: string, ending: string, ago: string): string {
  const rates = Object.entries(clients).map(([store, metric]) => `label_replace(
    rate(label_replace({__name__=~"${metric}${calls}_${ending}",${own}},
      "metric", "$1", "__name__", "(.+)")[5m:15s]${ago}), "store", "${store}", "", "")`);
  return `label_replace(${rates.join(' or ')}, "store", "$1", "db_system_name", "(.+)")`;
}

/** Each of several metrics may count the same calls. */
function perStore(rates: string): string {
  return `max by (store) (sum by (store, metric) (${rates}))`;
}

/** The calls to each store that fail, per second, less those that failed an hour ago as well. */
export function failedInStores(own: string): string {
  const added = (matchers: string, ending: string): string =>
    perStore(`${ratesOf(matchers, ending, '')} or label_replace(
      -(${ratesOf(matchers, ending, ' offset 1h')}), "ago", "1h", "", "")`);
  return `(${added(own, '(errors|failures)_total')}
    or ${added(`${own},error_type!=""`, 'duration_seconds_count')})`;
}

/** The time in each store and the calls to it, as rates. */
const inStores = (own: string, of: 'sum' | 'count', ago: string): string =>
  perStore(ratesOf(own, `((duration|completion)_)?seconds_${of}`, ago));

/**
 * The share of each store in the time that a request takes longer than half an hour ago, where that
 * is a fifth of its time or more. It is the time by which as many calls as now take longer: that
 * there are more of them is no fault of the store.
 */
export function addedInStores(own: string): string {
  const asManyThen = `${inStores(own, 'sum', ago)} * ${inStores(own, 'count', '')}
    / ${inStores(own, 'count', ago)}`;
  return `(${inStores(own, 'sum', '')} - ${asManyThen}) / on () group_left () ${addedTime(own)}`;
}

/**
 * The share of all measured calls in the time that {@linkcode addedInStores} divides: for as many
 * requests as now, as with more of them everything takes more time, with fewer of them less.
 */
export function addedInCalls(own: string): string {
  const spent = (when: string): string =>
    `sum(rate(http_client_request_duration_seconds_sum{${own}}[5m]${when})
      or ${inStores(own, 'sum', when)})`;
  return `(${spent('')} - ${spent(ago)} ${grown(own)}) / on () group_left () ${addedTime(own)}`;
}

const ago = ' offset 30m';
const requests = (own: string, of: string, when = ''): string =>
  `sum(rate(http_request_duration_seconds_${of}{${own}}[5m]${when}))`;
const grown = (own: string): string =>
  `* on () group_left () (${requests(own, 'count')} / ${requests(own, 'count', ago)})`;

/** What as many requests as now take longer, where that is a fifth of their time or more. */
function addedTime(own: string): string {
  return `(${requests(own, 'sum')} - ${requests(own, 'sum', ago)} ${grown(own)}
    > 0.2 * ${requests(own, 'sum')})`;
}
