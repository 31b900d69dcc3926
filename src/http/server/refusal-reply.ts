import { json, type Exchange, type Reply } from '../exchange.ts';
import { ClientGoneError, HttpError, refusal } from '../http-errors.ts';
import { pageReply, privateHeaders } from '../page-reply.ts';
import { isBrowser } from '../representation.ts';

/** A refused request, as its error page shows it. */
interface Refusal {
  readonly status: number;
  /** Constant text. */
  readonly detail: string;
  /** As sent, without the query. */
  readonly path: string;
  /** Whether the request was a form: then there is a page to go back to. */
  readonly isForm: boolean;
}

export interface RefusalPages {
  renderRefusalPage(refusal: Refusal): string;
  /** The Content-Security-Policy of the page. */
  readonly pageSecurityPolicy: string;
}

/**
 * The answer to anything a handler threw: a page for browsers, JSON for programs and for addresses
 * of data. Any error but a refusal is a fault of this service, answered with a bare 500.
 */
export function refusalReply(
  error: unknown,
  { method, path, headers }: Pick<Exchange, 'method' | 'path' | 'headers'>,
  pages: RefusalPages,
): Reply {
  if (error instanceof ClientGoneError) return json(499, { detail: 'Client closed request' });
  const refused = error instanceof HttpError ? error : refusal('internal');
  const { status, message: detail, headers: added } = refused;
  if (!isBrowser(headers.accept) || /\.(?:json|md)$/.test(path)) {
    return json(status, { detail }, [...added, ...privateHeaders]);
  }
  const isForm = method === 'POST';
  const page = pageReply(pages.renderRefusalPage({ status, detail, path, isForm }), pages);
  return { ...page, status, headers: [...added, ...page.headers] };
}
