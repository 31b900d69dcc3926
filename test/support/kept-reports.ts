import { join } from 'node:path';
import type { EpisodeKey } from '../../src/alert/episode-key.ts';
import { nodeFileSystem, type FileSystem } from '../../src/lib/file-system.ts';
import type { Extent } from '../../src/report/store/pack-files.ts';
import { type DamagedReport, ReportStore } from '../../src/report/store/report-store.ts';
import { hastyClock } from './hasty-clock.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A store whose extents are kept in memory, in place of the journal. */
export interface KeptReports {
  readonly store: ReportStore;
  readonly extents: Map<string, Extent>;
  readonly directory: string;
  readonly damaged: DamagedReport[];
  /** As the dispatch does it: writes, then lets the new extent count and the old one go. */
  write(key: EpisodeKey, json: string): Promise<void>;
  forget(key: EpisodeKey): void;
}

export interface KeptReportsOptions {
  readonly directory?: string;
  readonly files?: FileSystem;
  readonly extents?: Map<string, Extent>;
  readonly packBytes?: number;
  readonly spareBytes?: number;
  readonly isIncomplete?: boolean;
}

export async function openReports(options: KeptReportsOptions = {}): Promise<KeptReports> {
  const { files = nodeFileSystem, extents = new Map<string, Extent>(), ...rest } = options;
  const directory = options.directory ?? join(temporaryDirectory(), 'reports');
  const damaged: DamagedReport[] = [];
  const store = await ReportStore.open({
    ...rest, directory, files, clock: hastyClock,
    extentOf: (key) => extents.get(nameOf(key)) ?? null,
    onDamage: (report) => damaged.push(report),
  }, extents.values());
  const forget = (key: EpisodeKey): void => {
    const extent = extents.get(nameOf(key));
    if (extent !== undefined) store.free(extent);
    extents.delete(nameOf(key));
  };
  return {
    store, extents, directory, damaged, forget,
    async write(key, json) {
      const extent = await store.write(key, json);
      forget(key);
      extents.set(nameOf(key), extent);
    },
  };
}

export function nameOf({ fingerprint, number }: EpisodeKey): string {
  return `${fingerprint}/${number}`;
}
