/**
 * Takes screenshots of every kind of page: phone and desktop width, light and dark.
 *
 *   npm run build && npx tsx scripts/screenshots.ts [--out pictures] [--print]
 *   npx tsx scripts/screenshots.ts --url http://127.0.0.1:8080 [--path /report/…] [--path …]
 *
 * Without --url it starts a service of its own, with a recorded failure replayed into a Prometheus.
 * With it, the pictures are of the paths given, or of the list and the first report and incident it
 * links to. --print also prints the pages to PDF. Needs chromium (apt-get install chromium), and
 * prometheus unless --url is given.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { viewports, type BrowserPage } from '../test/support/browser/browser-page.ts';
import { startChromium } from '../test/support/browser/chromium.ts';
import { startKnownPages } from '../test/support/browser/served-pages.ts';
import { withCleanup } from '../test/support/cleanup.ts';
import { scriptOptions } from './script-options.ts';

const options = scriptOptions(import.meta.url, {
  url: { type: 'string' },
  path: { type: 'string', multiple: true, default: [] },
  out: { type: 'string', default: 'pictures' },
  print: { type: 'boolean', default: false },
});

interface Places {
  readonly url: string;
  /** Paths, by the file name of their pictures. */
  readonly pages: Readonly<Record<string, string>>;
}

await withCleanup(async (cleanup) => {
  const chromium = await startChromium(cleanup);
  const page = await chromium.open(cleanup);
  const { url, pages } = options.url === undefined
    ? await startKnownPages(cleanup)
    : await findPages(page, options.url.replace(/\/$/, ''));
  mkdirSync(options.out, { recursive: true });
  for (const [name, path] of Object.entries(pages)) await takeAll(page, name, url + path);
});

async function findPages(page: BrowserPage, url: string): Promise<Places> {
  if (options.path.length > 0) {
    const named = options.path.map((path) => {
      return [path.replace(/\W+/g, '-').replace(/^-/, '') || 'list', path];
    });
    return { url, pages: Object.fromEntries(named) as Record<string, string> };
  }
  await page.goto(`${url}/`);
  const links = await page.evaluate<string[]>('[...document.links].map((each) => each.pathname)');
  const report = links.find((path) => path.startsWith('/report/'));
  const incident = links.find((path) => path.startsWith('/incident/'));
  return {
    url,
    pages: {
      list: '/', waiting: '/report/0123456789abcdef',
      ...(report !== undefined && { report }), ...(incident !== undefined && { incident }),
    },
  };
}

async function takeAll(page: BrowserPage, name: string, address: string): Promise<void> {
  for (const place of ['phone', 'desk'] as const) {
    for (const scheme of ['light', 'dark'] as const) {
      await page.show({ viewport: viewports[place], scheme });
      await page.goto(address);
      const path = join(options.out, `${name}-${place}-${scheme}`);
      await page.screenshot(`${path}-first.png`, { whole: false });
      await page.screenshot(`${path}.png`);
      process.stdout.write(`${path}.png\n`);
    }
  }
  if (!options.print) return;
  await page.show({});
  const sheets = await page.print(join(options.out, `${name}.pdf`));
  process.stdout.write(`${name}.pdf: ${sheets} ${sheets === 1 ? 'sheet' : 'sheets'}\n`);
}
