import { isSteering } from '../../evidence/steering-text.ts';
import type { EvidenceItem, Report } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';

/** How much text of one alert is searched, in UTF-16 units. */
const lengthMax = 1_000_000;
/** How much one text counts towards that; `isSteering` reads no more of it. */
const textMax = 20_000;
const depthMax = 12;

/**
 * Where a text that the model was shown tries to steer it, as words of a sentence; null when none
 * does. Names of labels and annotations are searched as well as values.
 */
export function steeringPlace(
  { alert }: Pick<Report, 'alert'>,
  evidence: readonly EvidenceItem[],
): string | null {
  const room = { left: lengthMax };
  const steers = (value: unknown): boolean => textsIn(value, { room, depth: 0 }).some(isSteering);
  for (const [kind, set] of [['label', alert.labels], ['annotation', alert.annotations]] as const) {
    for (const [name, value] of Object.entries(set)) {
      if (steers([name, value])) return `the ${kind} ${shownText(name, 60)}`;
    }
  }
  const item = evidence.find(({ title, summary, data, warnings }) =>
    steers([title, summary, data, warnings]));
  return item === undefined ? null : `evidence ${item.id}`;
}

function textsIn(
  value: unknown,
  { room, depth }: { readonly room: { left: number }; readonly depth: number },
): string[] {
  if (room.left <= 0 || depth > depthMax) return [];
  if (typeof value === 'string') {
    room.left -= Math.min(value.length, textMax);
    return [value];
  }
  if (typeof value !== 'object' || value === null) return [];
  const inner = Array.isArray(value) ? value as readonly unknown[] : Object.entries(value).flat();
  return inner.flatMap((each: unknown) => textsIn(each, { room, depth: depth + 1 }));
}
