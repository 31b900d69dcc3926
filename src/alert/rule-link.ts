const expressionLengthMax = 16 * 1024;

/** For links without a host, as Mimir writes them unless one is configured. */
const anyHost = 'http://host.invalid';

/**
 * The rule's expression in the alert's link: `g0.expr` in the query, as Prometheus, Thanos and
 * Mimir write it (prometheus/prometheus: util/strutil/strconv.go), or in the fragment, as vmalert
 * does; or in the query of Grafana's Explore, to which vmalert, Thanos and Cortex can link. Null if
 * there is none. The link itself is never opened.
 */
export function expressionIn(generatorURL: string): string | null {
  if (!URL.canParse(generatorURL, anyHost)) return null;
  const { searchParams, hash } = new URL(generatorURL, anyHost);
  const inFragment = new URLSearchParams(hash.replace(/^#[^?]*\?/u, '').replace(/^#/u, ''));
  const expression = (searchParams.get('g0.expr') ?? inFragment.get('g0.expr') ??
    exploredIn(searchParams.get('panes') ?? searchParams.get('left') ?? '')).trim();
  return expression === '' || expression.length > expressionLengthMax ? null : expression;
}

/**
 * The expression in the state of Grafana's Explore, whose form changes between versions; empty if
 * it has none or several, or asks a store of logs in its own language.
 */
function exploredIn(state: string): string {
  const found = new Set<string>();
  try {
    JSON.parse(state, (name, value: unknown) => {
      if (name === 'expr' && typeof value === 'string') found.add(value);
      if (name === 'datasource' && /loki|logs/iu.test(JSON.stringify(value))) found.add('');
      return value;
    });
  } catch {
    return '';
  }
  const [only = ''] = found;
  return found.size === 1 ? only : '';
}
