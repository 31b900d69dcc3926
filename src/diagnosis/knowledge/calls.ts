/**
 * The calls that a component makes to stores, as many libraries count them. They are asked about
 * apart from other calls: two metrics with the same labels make a query fail.
 */
const clients = {
  Redis: '(redis_client|redis|lettuce)',
  database: '(django_)?(db|sql|pg|postgres|mysql|mongodb)(_client|_driver)?',
} as const;
const calls = '(_(call|command|operation|query|request|statement)s?)?';

/** The rate of what has this ending, by the store; `own` are the matchers of the component. */
function ofStores(own: string, ending: string, ago = ''): string {
  const rates = Object.entries(clients).map(([store, metric]) => `label_replace(
    rate({__name__=~"${metric}${calls}_${ending}",${own}}[5m]${ago}),
    "store", "${store}", "", "")`);
  return `sum by (store, db_system_name) (${rates.join(' or ')})`;
}

/** The failed calls to each store, per second. */
export function failedInStores(own: string): string {
  return `(${ofStores(own, '(errors|failures)_total')}
    or ${ofStores(`${own},error_type!=""`, 'duration_seconds_count')})`;
}

/** The share of each store in the time that all requests take longer than half an hour ago. */
export function addedInStores(own: string): string {
  const added = (time: (ago: string) => string): string => `(${time('')} - ${time(' offset 30m')})`;
  const inStores = added((ago) => ofStores(own, '((duration|completion)_)?seconds_sum', ago));
  const inAll = added((ago) => `sum(rate(http_request_duration_seconds_sum{${own}}[5m]${ago}))`);
  return `${inStores} / on () group_left () (${inAll} > 0)`;
}
