/** One browser and one service, shared by all tests of a file. */
import { sampleNotification } from '../../../scripts/samples.ts';
import type { Cleanup } from '../cleanup.ts';
import { forAllTests } from '../for-all-tests.ts';
import type { BrowserPage, NewPageOptions } from './browser-page.ts';
import { startChromium } from './chromium.ts';
import type { ServedPages } from './served-pages.ts';
import { visit } from './visits.ts';

export interface WatchedPages<Served> {
  /** May be called only inside tests. */
  served(): Served;
  /** Opens an address, or a path of the service, in a new page. */
  open(cleanup: Cleanup, address: string, options?: NewPageOptions): Promise<BrowserPage>;
}

/** Call at the top of a file; `start` starts the service that its tests look at. */
export function watchPages<Served extends { readonly url: string }>(
  start: (cleanup: Cleanup) => Promise<Served>,
): WatchedPages<Served> {
  const running = forAllTests(async (cleanup) => {
    const chromium = await startChromium(cleanup);
    return { chromium, served: await start(cleanup) };
  });
  return {
    served: () => running().served,
    open: (cleanup, address, options) => {
      const { chromium, served: { url } } = running();
      return visit({ chromium, cleanup }, new URL(address, url).href, options);
    },
  };
}

let lastNumber = 0;

/** A report on a sample alert that no other test uses. */
export interface FreshReport {
  readonly path: string;
  /** The number of the sample. */
  readonly number: number;
}

export async function freshReport({ post }: ServedPages): Promise<FreshReport> {
  lastNumber += 1;
  const number = lastNumber;
  const [path = ''] = await post(sampleNotification('firing', number, Date.now()));
  return { path, number };
}
