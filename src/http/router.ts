import { groupBy } from '../lib/group-by.ts';
import type { Exchange, Handler, HeaderList, Method, Reply } from './exchange.ts';

/** Sees every answer of a path, including those that never reach a handler. */
export interface RouteObserver {
  /** Added to the answer's headers. */
  headers(exchange: Exchange): HeaderList;
  /** `error` is what the handler or the checks before it threw, or null. */
  done(answered: { status: number; seconds: number; error: unknown }): void;
  /** Whether refusals are logged as warnings, since data that is not sent again may be lost. */
  readonly warnsOfRefusals: boolean;
}

/** The metric label that requests are counted under; several paths share a name. */
export type RouteName =
  | 'webhook' | 'list' | 'report' | 'incident' | 'events' | 'writing' | 'health' | 'metrics';

export interface Route {
  readonly name: RouteName;
  readonly method: Method;
  /** `/report/:fingerprint` matches one segment per name. */
  readonly path: string;
  readonly handle: Handler;
  readonly observer: RouteObserver | null;
}

type Params = Exchange['params'];

export type Match =
  | { readonly kind: 'found'; readonly route: Route; readonly params: Params }
  | { readonly kind: 'method_not_allowed'; readonly route: Route; readonly allowed: string[] }
  | { readonly kind: 'not_found' };

type ParamName<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | ParamName<Tail>
    : Rest
  : never;

type ExchangeAt<Path extends string> = Omit<Exchange, 'params'> & {
  readonly params: Readonly<Record<ParamName<Path>, string>>;
};

/** Declares a route; its handler sees exactly the params that the path names. */
export function route<const Path extends string>(
  name: RouteName,
  method: Method,
  path: Path,
  handle: (exchange: ExchangeAt<Path>) => Reply | Promise<Reply>,
): Route {
  // Sound, because the router calls `handle` only with params matched against this very `path`.
  return { name, method, path, handle: handle as Handler, observer: null };
}

/**
 * Matches a request against `routes` in order. The first path that matches wins, whatever its
 * methods: a later path that matches too is another resource. A linear scan is enough, as the
 * service has a handful of routes.
 */
export function createRouter(
  routes: readonly Route[],
): (method: string, pathname: string) => Match {
  const resources = [...groupBy(routes, ({ path }) => path)]
    .map(([path, byMethod]) => ({ paramsIn: matcherOf(path), byMethod }));

  return (method, pathname) => {
    const wanted = method === 'HEAD' ? 'GET' : method;
    for (const { paramsIn, byMethod } of resources) {
      const params = paramsIn(pathname);
      if (params === null) continue;
      const route = byMethod.find((each) => each.method === wanted);
      if (route !== undefined) return { kind: 'found', route, params };
      return { kind: 'method_not_allowed', route: byMethod[0], allowed: allowedBy(byMethod) };
    }
    return { kind: 'not_found' };
  };
}

/** Returns the params of a path name that matches `path`; null for any other. */
function matcherOf(path: string): (pathname: string) => Params | null {
  if (!path.includes(':')) return (pathname) => (pathname === path ? noParams : null);
  const pattern = path.split('/');
  return (pathname) => matchSegments(pattern, pathname.split('/'));
}

const noParams: Params = {};

function matchSegments(pattern: readonly string[], segments: readonly string[]): Params | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const actual = segments[index] ?? '';
    if (expected.startsWith(':')) params[expected.slice(1)] = decodeSegment(actual);
    else if (expected !== actual) return null;
  }
  return params;
}

/** Empty for a malformed percent escape: such a segment matches no resource. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}

function allowedBy(routes: readonly Route[]): string[] {
  return routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : method));
}
