import {
  ClientGoneError, HttpError, json, type Exchange, type HeaderList, type Reply,
} from '../exchange.ts';
import { pageReply } from '../page-reply.ts';
import { isBrowser } from '../representation.ts';

/** What is told of a request that was refused. */
export interface Refusal {
  readonly status: number;
  /** Constant text. */
  readonly detail: string;
  /** As sent, without the query. */
  readonly path: string;
  /** Whether a form was sent: there is a page to go back to. */
  readonly isForm: boolean;
}

export interface RefusalPages {
  renderRefusalPage(refusal: Refusal): string;
  /** The Content-Security-Policy under which it works. */
  readonly pageSecurityPolicy: string;
}

/**
 * The answer to whatever a handler threw: a page for a browser, JSON for every program and for an
 * address that asks for data. Anything but a refusal is a fault of this service: a bare 500.
 */
export function refusalReply(
  error: unknown,
  { method, path, headers }: Pick<Exchange, 'method' | 'path' | 'headers'>,
  pages: RefusalPages,
): Reply {
  if (error instanceof ClientGoneError) return json(499, { detail: 'Client closed request' });
  const refusal = error instanceof HttpError ? error
    : new HttpError(500, 'Internal server error', { reason: 'internal' });
  const { status, message: detail, headers: added } = refusal;
  if (!isBrowser(headers.accept) || /\.(?:json|md)$/.test(path)) {
    return json(status, { detail }, added);
  }
  const isForm = method === 'POST';
  const page = pageReply(pages.renderRefusalPage({ status, detail, path, isForm }), pages);
  return { ...page, status, headers: [...added, ...without(page.headers, added)] };
}

/** Fields that are not among the others as well. */
function without(headers: HeaderList, others: HeaderList): string[] {
  const isName = (_: string, index: number): boolean => index % 2 === 0;
  const known = new Set(others.filter(isName).map((name) => name.toLowerCase()));
  return headers.filter((_, index) => {
    const name = headers[index - (index % 2)] ?? '';
    return !known.has(name.toLowerCase());
  });
}
