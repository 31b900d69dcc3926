import type { HeaderList, Reply } from './exchange.ts';

/**
 * Reports tell strangers about a system's weak spots: nothing keeps or embeds them. Other sites
 * learn no address; ours does, as without it a browser sends no origin with a form.
 */
export const privateHeaders: HeaderList = [
  'Cache-Control', 'private, no-store',
  'Vary', 'Accept',
  'X-Content-Type-Options', 'nosniff',
  'Referrer-Policy', 'same-origin',
  'Cross-Origin-Resource-Policy', 'same-origin',
];

/** A page of this service for a browser, under the policy that it works with. */
export function pageReply(
  body: string,
  { pageSecurityPolicy }: { readonly pageSecurityPolicy: string },
): Reply {
  const headers = [
    ...privateHeaders,
    'Content-Security-Policy', pageSecurityPolicy,
    'Cross-Origin-Opener-Policy', 'same-origin',
  ];
  return { status: 200, contentType: 'text/html; charset=utf-8', body, headers };
}
