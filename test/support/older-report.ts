import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { EpisodeKey } from '../../src/alert/episode-key.ts';
import { episodeName } from '../../src/report/store/file-for-each.ts';

/** Stores a report as earlier versions did, in a file of its own; returns the path. */
export function writeOlderReport(directory: string, key: EpisodeKey, json: string): string {
  const body = Buffer.from(json);
  const firstLine = `${body.length} ${crc32(body).toString(16).padStart(8, '0')}\n`;
  return writeOlderFile(directory, key, { ending: '.json', content: firstLine + json });
}

export function writeOlderFile(
  directory: string,
  key: EpisodeKey,
  { ending, content }: { readonly ending: string; readonly content: string },
): string {
  const name = episodeName(key);
  const path = join(directory, name.slice(0, 2), name + ending);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}
