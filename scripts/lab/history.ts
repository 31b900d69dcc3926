/**
 * The past of the shop: runs it through a day, and writes what would have been scraped. It is kept
 * in a folder for temporary files, so that the next start only adds what has passed since.
 */
import { createHash } from 'node:crypto';
import {
  createWriteStream, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { findProgram, runProgram } from '../../test/support/programs/programs.ts';
import { inChunks } from '../../test/support/programs/running-prometheus.ts';
import { seriesText } from '../ranking/openmetrics.ts';
import type { LabIncident } from './incident.ts';
import { valueText, type Sample } from './shop/metrics.ts';
import { Shop, type ShopState } from './shop/shop.ts';
import { World } from './worlds/world.ts';

const daySeconds = 86_400;
/** Steps of the past, and of its last minutes, which are scraped like what follows. */
const coarseSeconds = 30;
const fineSeconds = 5;
const fineFor = 600;
/** An older one is made anew. */
const keptForSeconds = 6 * 3600;

export interface History {
  /** A folder of blocks; to be copied, not written to. */
  readonly blocks: string;
  readonly state: ShopState;
}

/** What happened in the past day and has nothing to do with any incident. */
const earlier: readonly { readonly before: number; readonly happen: (shop: Shop) => void }[] = [
  { before: 18_000, happen: (shop) => shop.service('search').restart(shop.now, '2.3.1') },
  { before: 7200, happen: (shop) => shop.service('cart').restart(shop.now, '3.1.4') },
];

/**
 * Brings the history up to now. `nowSeconds` tells the time, in seconds since 1970; of all
 * incidents, that is called which has to have a past.
 */
export async function bringHistory(
  incidents: readonly LabIncident[],
  nowSeconds: () => number,
): Promise<History> {
  const always = incidents.flatMap((incident) => incident.always ?? []);
  const folder = join(tmpdir(), `alert-analyst-lab-${hashOf(always.map(String))}`);
  const state = readKept(folder);
  const kept = state !== null && nowSeconds() - state.now < keptForSeconds ? state : null;
  const shop = new Shop(kept?.origin ?? Math.floor(nowSeconds()) - daySeconds);
  for (const each of always) shop.each.add((_, dt) => each(shop, dt));
  if (kept !== null) shop.adopt(kept);
  else await beginHistory(folder, shop, nowSeconds());
  // Making a day of samples takes a while; making those of this while takes a moment.
  while (nowSeconds() - shop.now > 2 * fineSeconds) {
    await addBlocks(folder, shop, Math.floor(nowSeconds()));
  }
  writeFileSync(join(folder, 'state.new'), JSON.stringify(shop.state()));
  renameSync(join(folder, 'state.new'), join(folder, 'state.json'));
  return { blocks: join(folder, 'data'), state: shop.state() };
}

/** The past of a world of its own, up to now; not kept, as its past ends when it begins. */
export async function makeHistory(
  folder: string,
  world: (origin: number, seed: number) => World,
  nowSeconds: () => number,
): Promise<History> {
  const shop = world(Math.floor(nowSeconds()) - daySeconds, 1);
  while (nowSeconds() - shop.now > 2 * fineSeconds) {
    await addBlocks(folder, shop, Math.floor(nowSeconds()));
  }
  return { blocks: join(folder, 'data'), state: shop.state() };
}

function readKept(folder: string): ShopState | null {
  const path = join(folder, 'state.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) as ShopState : null;
}

async function beginHistory(folder: string, shop: Shop, now: number): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  shop.service('search').restart(shop.now - 9 * daySeconds, '2.3.0');
  shop.service('cart').restart(shop.now - 12 * daySeconds, '3.1.3');
  await addBlocks(folder, shop, Math.floor(now));
}

/** Moves the shop on to `until`, in seconds since 1970, and writes every scrape as blocks. */
async function addBlocks(folder: string, shop: Shop, until: number): Promise<void> {
  const file = join(folder, 'samples.txt');
  const lines = inChunks(samplesUntil(shop, until), ['# EOF']);
  await pipeline(Readable.from(lines), createWriteStream(file));
  const { status, output } = await runProgram(findProgram('promtool', 'prometheus'), [
    // In blocks of two hours it would read the file a dozen times.
    'tsdb', 'create-blocks-from', 'openmetrics', '--max-block-duration=24h',
    file, join(folder, 'data'),
  ]);
  if (status !== 0) throw new Error(`promtool makes no blocks: ${output.slice(-2000)}`);
  rmSync(file);
}

function* samplesUntil(shop: Shop, until: number): Generator<string> {
  const texts = new Map<Sample, string>();
  while (shop.now < until) {
    const from = shop.now;
    const dt = until - from > fineFor ? coarseSeconds : fineSeconds;
    shop.advance(Math.min(until, from + dt));
    for (const { before, happen } of shop instanceof World ? [] : earlier) {
      if (from < until - before && shop.now >= until - before) happen(shop);
    }
    const at = shop.now;
    for (const target of shop.targets()) {
      const labels = target.labels();
      yield `${seriesText('up', labels)} ${target.isUp() ? 1 : 0} ${at}`;
      for (const sample of target.metrics.samples()) {
        const text = texts.get(sample) ?? seriesText(sample.name, { ...sample.labels, ...labels });
        texts.set(sample, text);
        yield `${text} ${valueText(sample)} ${at}`;
      }
    }
  }
}

/** Another shop has another past. */
function hashOf(further: readonly string[]): string {
  const hash = createHash('sha256').update(further.join('\n'));
  const files = ['expose', 'hosts', 'metrics', 'noise', 'plan', 'service', 'shop', 'stores'];
  for (const name of files) {
    hash.update(readFileSync(new URL(`shop/${name}.ts`, import.meta.url)));
  }
  return hash.digest('hex').slice(0, 12);
}
