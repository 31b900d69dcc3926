// Shows times in the reader's time zone, and keeps ages such as `12 min ago` up to date.
{
  const tickMs = 30_000;
  const minute = 60;
  const hour = 60 * minute;
  const day = 24 * hour;

  // Each language has names for the zones of its region, and only GMT offsets for others.
  const zoneFormats = ['en-GB', 'en-US', 'en-AU'].map((language) =>
    new Intl.DateTimeFormat(language, { timeZoneName: 'short' }));
  const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
  const exactClock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
  const calendar = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
  const longCalendar = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric', month: 'short', year: 'numeric',
  });

  /** When the service rendered the page, and how far the reader's clock is ahead of its. */
  let madeAt = '';
  let aheadMs = 0;

  localiseTimes(document.body);
  setInterval(() => localiseTimes(document.body), tickMs);
  document.addEventListener('pagechange', ({ target }) => {
    if (target instanceof Element) localiseTimes(target);
  });

  function localiseTimes(within: Element): void {
    compareClocks();
    for (const element of within.querySelectorAll<HTMLTimeElement>('time[datetime]')) {
      const at = Date.parse(element.dateTime);
      if (Number.isNaN(at)) continue;
      const { age, seconds } = element.dataset;
      const text = age === undefined ? localMoment(at, seconds === undefined ? clock : exactClock)
        : ageText(at, age);
      // Written only when it differs, so that a selection in it stays.
      if (element.textContent !== text) element.textContent = text;
    }
    for (const label of within.querySelectorAll<SVGElement>('text[data-at]')) {
      const date = new Date(Number(label.dataset['at']) * 1000);
      // One label of each axis shows the zone: CET, GMT+9, +5:30.
      const text = label.dataset['zone'] === undefined ? axisText(date)
        : zoneName(date).replace(/^GMT(?=.{5})/, '');
      if (label.textContent !== text) label.textContent = text;
    }
  }

  function compareClocks(): void {
    const { now = '' } = document.body.dataset;
    // For a page saved to a file it is unknown how long ago it was sent.
    if (now === madeAt || !location.protocol.startsWith('http')) return;
    madeAt = now;
    aheadMs = Date.now() - Number(now);
  }

  /** `02:14`; midnight is shown as the date that begins, as the service does in UTC. */
  function axisText(date: Date): string {
    const time = clock.format(date);
    return time === '00:00' ? calendar.format(date) : time;
  }

  /** `02:14 CET` today, `19 Nov 02:14 CET` within the year, else with the year. */
  function localMoment(at: number, ofDay: Intl.DateTimeFormat): string {
    const [date, today] = [new Date(at), new Date()];
    const time = `${ofDay.format(date)} ${zoneName(date)}`;
    if (date.toDateString() === today.toDateString()) return time;
    const isThisYear = date.getFullYear() === today.getFullYear();
    return `${(isThisYear ? calendar : longCalendar).format(date)} ${time}`;
  }

  function zoneName(date: Date): string {
    const names = zoneFormats.map((format) => format.formatToParts(date)
      .find(({ type }) => type === 'timeZoneName')?.value ?? 'local time');
    return names.find((name) => !/^GMT./.test(name)) ?? names[0] ?? 'local time';
  }

  /** In the service's words: `12 min ago`, or `12 min` for a span. */
  function ageText(at: number, kind: string): string {
    const seconds = Math.round((Date.now() - aheadMs - at) / 1000);
    if (kind === 'span') return duration(Math.max(0, seconds));
    if (Math.abs(seconds) < 2) return 'just now';
    return seconds > 0 ? `${duration(seconds)} ago` : `in ${duration(-seconds)}`;
  }

  function duration(seconds: number): string {
    if (seconds < minute) return `${seconds} s`;
    if (seconds < hour) return `${Math.floor(seconds / minute)} min`;
    if (seconds < day) return inTwo(seconds, [hour, 'h'], [minute, 'min']);
    if (seconds < 30 * day) return inTwo(seconds, [day, 'd'], [hour, 'h']);
    return `${Math.floor(seconds / day)} d`;
  }

  type Unit = readonly [seconds: number, name: string];

  function inTwo(seconds: number, large: Unit, small: Unit): string {
    const whole = Math.floor(seconds / large[0]);
    const rest = Math.floor((seconds - whole * large[0]) / small[0]);
    return rest === 0 ? `${whole} ${large[1]}` : `${whole} ${large[1]} ${rest} ${small[1]}`;
  }
}
