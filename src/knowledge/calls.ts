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

/**
 * The share of each store in the time that a request takes longer than half an hour ago, where that
 * is a fifth of its time or more, and a call takes longer: that there are more calls is no fault of
 * the store.
 */
export function addedInStores(own: string): string {
  const inStores = (ending: string, ago: string): string =>
    perStore(ratesOf(own, `((duration|completion)_)?seconds_${ending}`, ago));
  const each = (ago: string): string => `(${inStores('sum', ago)} / ${inStores('count', ago)})`;
  return `${addedIn(own, (stores) => stores)}
    and on (store) ${each('')} / ${each(' offset 30m')} > 1.5`;
}

/** The share of all measured calls in the time that {@linkcode addedInStores} divides. */
export function addedInCalls(own: string): string {
  return addedIn(own, (stores, ago) =>
    `sum(rate(http_client_request_duration_seconds_sum{${own}}[5m]${ago}) or ${stores})`);
}

/**
 * For as many requests as now: with more of them everything takes more time, with fewer of them
 * less. `timeOf` is given the time in each store.
 */
function addedIn(own: string, timeOf: (stores: string, ago: string) => string): string {
  const requests = (of: string, ago = ''): string =>
    `sum(rate(http_request_duration_seconds_${of}{${own}}[5m]${ago}))`;
  const spent = (ago: string): string =>
    timeOf(perStore(ratesOf(own, '((duration|completion)_)?seconds_sum', ago)), ago);
  const ago = ' offset 30m';
  const grown = `* on () group_left () (${requests('count')} / ${requests('count', ago)})`;
  return `(${spent('')} - ${spent(ago)} ${grown}) / on () group_left ()
    (${requests('sum')} - ${requests('sum', ago)} ${grown} > 0.2 * ${requests('sum')})`;
}
