import { isSameExtent, type Extent } from '../../report/store/pack-files.ts';
import type { Episode } from '../episode.ts';
import type { MovedRecord } from '../records.ts';
import type { Mutable } from './alert-history.ts';

/** Called with what no episode refers to any more. */
interface Freed {
  report(extent: Extent): void;
  recording(extent: Extent): void;
}

/** Where reports and recordings are. An episode that is null is gone: what is stored of it goes. */
export class KeptExtents {
  #freed: Freed = { report() {}, recording() {} };

  /** To be called after a replay, once there is a store. */
  onFreed(freed: Freed): void {
    this.#freed = freed;
  }

  clear(episode: Mutable<Episode>): void {
    this.setReport(episode, null);
    this.setRecording(episode, null);
  }

  setReport(episode: Mutable<Episode> | null, report: Extent | null): void {
    const freed = episode === null ? report : episode.report;
    if (freed !== null) this.#freed.report(freed);
    if (episode !== null) episode.report = report;
  }

  setRecording(episode: Mutable<Episode> | null, recording: Extent | null): void {
    const freed = episode === null ? recording : episode.recording;
    if (freed !== null) this.#freed.recording(freed);
    if (episode !== null) episode.recording = recording;
  }

  /** The report is now there, unless another one replaced it meanwhile. */
  move(episode: Mutable<Episode> | null, { from, report }: MovedRecord): void {
    const isCurrent = episode !== null && isSameExtent(episode.report, from);
    this.setReport(isCurrent ? episode : null, report);
  }
}
