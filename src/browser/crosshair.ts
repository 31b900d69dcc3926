/**
 * A line through all charts of a report at the moment under the pointer, and beside it what each of
 * them shows then. Values are read from the curves themselves.
 */
{
  interface Reader {
    /** Lines without a gap, in the plot's own units: x up to 1000, y up to its height. */
    readonly lines: readonly (readonly (readonly [x: number, y: number])[])[];
    readonly height: number;
  }

  const plotWidth = 1000;
  /** How far from the end of a line its value is still told. */
  const nearMax = 15;
  const readers = new WeakMap<Element, Reader>();

  document.addEventListener('pointermove', follow);
  document.addEventListener('pointerdown', follow);
  document.addEventListener('pointerleave', hide);

  function follow({ target, clientX }: PointerEvent): void {
    const figure = target instanceof Element ? target.closest('figure.chart:has(.plot)') : null;
    const whole = figure?.querySelector(':scope > svg');
    if (!whole) return hide();
    const { left, width } = plotBox(whole);
    const share = (clientX - left) / width;
    if (!(share >= 0 && share <= 1)) return hide();
    for (const each of document.querySelectorAll<HTMLElement>('figure.chart:has(.plot)')) {
      show(each, share);
    }
  }

  function hide(): void {
    for (const each of document.querySelectorAll('.hair,.reading')) each.remove();
  }

  /** The part of a chart that its curve fills: without the room for values on the left. */
  function plotBox(whole: Element): { readonly left: number; readonly width: number } {
    const { left, width } = whole.getBoundingClientRect();
    const { paddingLeft, paddingRight } = getComputedStyle(whole);
    const before = parseFloat(paddingLeft);
    return { left: left + before, width: width - before - parseFloat(paddingRight) };
  }

  function show(figure: HTMLElement, share: number): void {
    const whole = figure.querySelector(':scope > svg');
    const plot = figure.querySelector<SVGElement>('.plot');
    if (!whole || !plot) return;
    const { left, width } = plotBox(whole);
    const box = whole.getBoundingClientRect();
    const outer = figure.getBoundingClientRect();
    const top = box.top - outer.top + Number(plot.getAttribute('y'));
    const height = Number(plot.getAttribute('height'));
    const hair = part(figure, 'hair');
    hair.style.left = `${left - outer.left + share * width}px`;
    hair.style.top = `${top}px`;
    hair.style.height = `${height}px`;
    const reading = part(figure, 'reading');
    reading.textContent = textAt(plot, share);
    reading.style.top = `${top}px`;
    reading.hidden = reading.textContent === '';
  }

  function part(figure: HTMLElement, name: string): HTMLElement {
    const known = figure.querySelector<HTMLElement>(`:scope > .${name}`);
    if (known) return known;
    const made = document.createElement('span');
    made.className = name;
    made.setAttribute('aria-hidden', 'true');
    figure.append(made);
    return made;
  }

  /** `02:14:30 · 1.9 s`; the time alone where no value is near. */
  function textAt(plot: SVGElement, share: number): string {
    const spans = document.querySelector<HTMLElement>('[data-spans]')?.dataset['spans'] ?? '';
    const [from = NaN, to = NaN, nearFrom = from, nearTo = to] = spans.split(' ').map(Number);
    const isFar = document.querySelector<HTMLInputElement>('#far')?.checked === true;
    const [start, end] = isFar ? [from, to] : [nearFrom, nearTo];
    const at = start + share * (end - start);
    if (Number.isNaN(at)) return '';
    const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' }).format(at);
    const value = valueAt(plot, (at - from) / (to - from) * plotWidth);
    return value === null ? time : `${time} · ${value}`;
  }

  /** The value of the nearest point of the line there; null where there is a gap. */
  function valueAt(plot: SVGElement, x: number): string | null {
    const { lines, height } = readerOf(plot);
    const [low = 0, high = 0, scale = 1] = (plot.dataset['axis'] ?? '').split(' ').map(Number);
    const line = lines.find((each) =>
      (each[0]?.[0] ?? 0) - nearMax <= x && (each.at(-1)?.[0] ?? 0) + nearMax >= x);
    if (line === undefined) return null;
    const near = line.reduce((best, each) =>
      (Math.abs(each[0] - x) < Math.abs(best[0] - x) ? each : best));
    const value = (low + (1 - near[1] / height) * (high - low)) * scale;
    return `${Number(value.toPrecision(3))}${plot.dataset['unit'] ?? ''}`;
  }

  function readerOf(plot: SVGElement): Reader {
    const known = readers.get(plot);
    if (known) return known;
    const drawn = [...plot.querySelectorAll('path.course')]
      .map((each) => each.getAttribute('d') ?? '').join('');
    const lines = drawn.split('M').slice(1).map((line) =>
      [...line.matchAll(/([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const))
      .filter((line) => line.length > 0);
    const reader = { lines, height: Number(plot.getAttribute('height')) };
    readers.set(plot, reader);
    return reader;
  }

  // A chart that was drawn anew is read anew.
  document.addEventListener('pagechange', ({ target }) => {
    if (!(target instanceof Element)) return;
    for (const plot of target.querySelectorAll('.plot')) readers.delete(plot);
  });
}
