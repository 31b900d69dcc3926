import { parseTime } from '../../alert/timestamp.ts';
import { shortened } from '../../lib/shortened.ts';

export interface LoggedLine {
  /** Wall time in milliseconds; null if the line has none. */
  readonly atMs: number | null;
  readonly text: string;
}

const lineLengthMax = 1000;
/** What a kubelet answers with status 200 if the log is gone (kubernetes: pkg/kubelet). */
const isGone = /^(?:unable to retrieve container logs for|failed to try resolving symlinks in) .*$/;

/** Reads the last lines of `pods/log` with timestamps: `2026-03-01T10:00:00.123456789Z line`. */
export function readLoggedLines(body: Buffer, linesMax: number): readonly LoggedLine[] {
  const text = body.toString();
  if (isGone.test(text.trim())) return [];
  const lines = text.split(/\r?\n/).filter((line) => line !== '').slice(-linesMax);
  return lines.map((line) => {
    const blank = line.indexOf(' ');
    const atMs = blank < 0 ? null : parseTime(line.slice(0, blank));
    return { atMs, text: shortened(atMs === null ? line : line.slice(blank + 1), lineLengthMax) };
  });
}
