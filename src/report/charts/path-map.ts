import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { html, trusted, type Html } from '../html.ts';
import type { Path, PathHop } from '../path.ts';
import { hopText, pathText } from '../path-text.ts';
import { counted, shorten } from '../plain-text.ts';
import type { Change } from '../report.ts';
import { wrap } from '../text/wrap.ts';
import { formatOnset } from '../time-text.ts';

interface MapOptions {
  /** Prefix of the ids in it, a constant that is unique on the page. */
  readonly id: string;
  /** Ms; what times are relative to. */
  readonly now: number;
  /** What moved; told where it is of a thing on the map. */
  readonly changes: readonly Change[];
  /** What is told of the first thing: whose page it is, what else fires there. */
  readonly atFirst: string | null;
}

const boxHeight = 73;
const gapHeight = 26;
/** Letters of a line on the narrowest screen. */
const nameMax = 30;
const lineMax = 46;
const linesMax = 2;

const looks: Readonly<Record<PathHop['state'], readonly [sign: string, word: string]>> = {
  failing: ['◆', 'fails'], innocent: ['✓', 'works'], unknown: ['?', 'not known'],
};

/** What a thing is to the one above it, as what stands beside the arrow between them. */
const relationWords: Readonly<Record<NonNullable<PathHop['relation']>, string>> = {
  called: 'calls', server: 'is served by', probed: 'probes', measured: 'measures',
  primary: 'replicates from', consumer: 'is consumed by', producer: 'is filled by',
  process: 'runs as', shared: 'may use', holder: 'is held by',
  host: 'runs on', beside: 'is shared with',
};

/**
 * The things of a path as boxes, the alert's own at the top, with arrows to what each calls or
 * rests on: its state by shape, word and colour, what fails there and what moved there. An SVG as
 * wide as its place, whose text keeps its size.
 */
export function pathMap(path: Path, options: MapOptions): Html {
  const { id, now } = options;
  const { hops } = path;
  const height = hops.length * boxHeight + (hops.length - 1) * gapHeight;
  return html`<svg class="map" role="img" aria-labelledby="${id}-text" width="100%" height="${
    height}"><desc id="${id}-text">${pathText(path, now)}</desc>${hops.map((hop, index) =>
    html`${index > 0 && arrow(hop, index)}${box(path, index, options)}`)}</svg>`;
}

function arrow({ relation }: PathHop, index: number): Html {
  const y = index * (boxHeight + gapHeight) - gapHeight;
  return html`<path class="arrow" d="M20 ${y}v${gapHeight - 1}M15 ${
    y + gapHeight - 7}l5 6l5 -6"></path>${
    line('quiet', 34, y + 17, relation === null ? '' : relationWords[relation])}`;
}

function box(path: Path, index: number, { now, changes, atFirst }: MapOptions): Html {
  const hop = path.hops[index];
  if (hop === undefined) return html``;
  const y = index * (boxHeight + gapHeight);
  const [sign, word] = looks[hop.state];
  const moved = changes.filter((change) => isOf(change, hop));
  const here = [
    ...(index === 0 && atFirst !== null ? [atFirst] : []),
    ...(index === path.origin ? ['the origin'] : []),
    ...(moved.length > 0 ? [movedText(moved)] : []),
  ].join(' · ');
  const said = hopText(hop, now);
  // The name stands above it.
  const text = said.startsWith(`${hop.component}: `) ? said.slice(hop.component.length + 2) : '';
  return html`<g class="${hop.state}${index === path.origin && ' origin'}"><rect x="1" y="${
    y + 1}" width="99%" height="${boxHeight - 2}" rx="4"></rect>${
    line('name', 12, y + 20, `${sign} ${shorten(hop.component, nameMax)} ${word}`)}${
    wrapped(text).map((each, row) => line('', 12, y + 36 + row * 15, each))}${
    line('quiet', 12, y + 66, shorten(here, lineMax))}</g>`;
}

function wrapped(text: string): readonly string[] {
  const rows = wrap(text, lineMax);
  const rest = rows.slice(linesMax - 1).join(' ');
  return [...rows.slice(0, linesMax - 1), shorten(rest, lineMax)];
}

function movedText(moved: readonly Change[]): string {
  const onsets = moved.flatMap(({ onset_seconds: onset }) => onset ?? []);
  const first = onsets.length === 0 ? '' : `, first ${formatOnset(Math.min(...onsets))}`;
  return `${counted(moved.length, 'change')}${first}`;
}

/** Whether what moved is of this thing: of its name, or of the labels that its series have. */
function isOf({ component, labels, strength }: Change, hop: PathHop): boolean {
  if (strength === 'weak') return false;
  if (component?.value === hop.component) return true;
  const names = Object.keys(hop.labels);
  return names.length > 0 && names.every((name) => isEqual(labels, hop.labels, name));
}

function isEqual(a: LabelSet, b: LabelSet, name: string): boolean {
  return labelOf(a, name) === labelOf(b, name);
}

/** `kind` is a constant of this file. */
function line(kind: string, x: number, y: number, text: string): Html {
  return text === '' ? html`` : html`<text class="${trusted(kind)}" x="${x}" y="${y}">${
    text}</text>`;
}
