import type { FileSystem, OpenMode, OpenFile } from '../../../src/lib/file-system.ts';
import {
  decodeHeaderArea,
  encodeHeaderArea,
  headerAreaBytes,
} from '../../../src/queue/journal-record.ts';
import type { PlantedBug } from './power-loss.ts';

/** Bugs that other journals have had. The simulation must find each of them. */
export const plantedBugs: Readonly<Record<string, PlantedBug>> = {
  'ack-early': { wrap: forgetDurability },
  'no-crc': { checksum: () => 0 },
  'fsync-retry': { wrap: retrySyncs },
  'short-write': { wrap: hideShortWrites },
  'no-trim': { wrap: neverTrim },
  'rename-unsynced': { wrap: forgetRenames },
};

type Change = Partial<OpenFile> | ((file: OpenFile) => Partial<OpenFile>);

function withFiles(files: FileSystem, change: Change): FileSystem {
  return {
    ...delegate(files),
    open: async (path, mode) => {
      const file = await files.open(path, mode);
      return { ...file, ...(typeof change === 'function' ? change(file) : change) };
    },
  };
}

/** A copy with its methods as own properties; spreading an instance of a class would lose them. */
export function delegate(files: FileSystem): FileSystem {
  return {
    open: (path, mode) => files.open(path, mode),
    readdir: (path) => files.readdir(path),
    rename: (from, to) => files.rename(from, to),
    unlink: (path) => files.unlink(path),
    mkdir: (path) => files.mkdir(path),
    stat: (path) => files.stat(path),
    syncDirectory: (path) => files.syncDirectory(path),
  };
}

const forgetful: Partial<Record<OpenMode, OpenMode>> = {
  'create-durable': 'replace', 'replace-durable': 'replace',
};

/** Durable writes only reach the page cache. */
function forgetDurability(files: FileSystem): FileSystem {
  return {
    ...delegate(files),
    open: (path, mode) => files.open(path, forgetful[mode] ?? mode),
  };
}

/** Retries a failed sync, which succeeds because the failure marked the pages clean. */
function retrySyncs(files: FileSystem): FileSystem {
  return withFiles(files, (file) => ({
    writev: (parts, position) =>
      file.writev(parts, position).catch(async () => {
        await file.sync();
        return parts.reduce((sum, part) => sum + part.length, 0);
      }),
  }));
}

function hideShortWrites(files: FileSystem): FileSystem {
  return withFiles(files, (file) => ({
    writev: async (parts, position) => {
      await file.writev(parts, position);
      return parts.reduce((sum, part) => sum + part.length, 0);
    },
  }));
}

/** Keeps a record of a failed flush: it is not truncated, and the next segment counts it in. */
function neverTrim(files: FileSystem): FileSystem {
  let failed = false;
  return withFiles(files, (file) => ({
    truncate: async () => {},
    writev: (parts, position) => {
      const area = Buffer.concat(parts);
      const isHeader = position === 0 && area.length === headerAreaBytes;
      const { header } = isHeader ? decodeHeaderArea(area, '') : { header: null };
      if (header === null || !failed) {
        return file.writev(parts, position).catch((error: unknown) => {
          failed = true;
          throw error;
        });
      }
      failed = false;
      return file.writev([encodeHeaderArea({ ...header, after: header.after + 1 })], 0);
    },
  }));
}

function forgetRenames(files: FileSystem): FileSystem {
  let renamed = false;
  return {
    ...delegate(files),
    rename: async (from, to) => {
      await files.rename(from, to);
      renamed = true;
    },
    syncDirectory: async (path) => {
      if (!renamed) await files.syncDirectory(path);
      renamed = false;
    },
  };
}
