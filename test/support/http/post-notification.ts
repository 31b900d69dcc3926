interface Accepted {
  readonly report_urls: readonly { readonly fingerprint: string }[];
}

/** Posts a notification; returns the fingerprints of its links. Throws unless it is accepted. */
export async function postNotification(
  url: string,
  notification: unknown,
): Promise<readonly string[]> {
  const response = await fetch(`${url}/webhook`, {
    method: 'POST', headers: { 'content-type': 'application/json' },
    body: JSON.stringify(notification),
  });
  const text = await response.text();
  const { status } = response;
  if (status !== 200) throw new Error(`POST /webhook answered ${status}: ${text}`);
  const { report_urls: links } = JSON.parse(text) as Accepted;
  return links.map(({ fingerprint }) => fingerprint);
}
