import type { HeaderList, Reply } from './exchange.ts';

/**
 * Reports reveal a system's weak spots, so nothing may cache or embed them. Other sites get no
 * referrer; the service itself does, as browsers otherwise send forms with the origin `null`.
 */
export const privateHeaders: HeaderList = [
  'Cache-Control', 'private, no-store',
  'Vary', 'Accept, Accept-Encoding',
  'X-Content-Type-Options', 'nosniff',
  'Referrer-Policy', 'same-origin',
  'Cross-Origin-Resource-Policy', 'same-origin',
];

/** An HTML page with status 200. */
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
