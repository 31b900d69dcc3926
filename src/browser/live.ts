/**
 * Keeps the page up to date: listens for events and fetches the page again when it has changed. If
 * it cannot listen, it polls every few seconds instead. Only for pages with `data-live`, the value
 * of which is the revision that is shown.
 */

/** Data of the event `changed`, as far as it is used. */
interface SubjectState {
  readonly revision: string;
}

/** Data of the event `progress`, as far as it is used. */
interface StepState {
  readonly step: string;
  readonly done: number;
  readonly of: number;
}

/** Polling interval while listening is refused. */
const pollEveryMs = 5_000;
/** The same for a hidden page: only its title is visible, and connections are scarce. */
const hiddenPollEveryMs = 60_000;
const retryMaxMs = 30_000;
/** The first event comes at once, unless a proxy buffers the stream. */
const answerMaxMs = 10_000;

class LivePage {
  readonly #path = location.pathname.replace(/\/$/, '');
  /** Shows that the connection is lost. */
  readonly #line = document.createElement('p');
  /** Announces to screen readers that the report is ready. */
  readonly #announcement = document.createElement('p');
  #source: EventSource | null = null;
  #timer = 0;
  #failures = 0;
  /** Revision of the page as shown. */
  #shown = document.body.dataset['live'] ?? '';
  /** Last revision received in an event. */
  #told = '';
  /** Number of the episode shown; null while a report is awaited, and on other pages. */
  #episode = document.body.dataset['episode'] ?? null;
  #hasNewer = false;
  #isFetching = false;
  #isStale = false;
  /** Fetched but not fully shown, as the reader has text selected. */
  #waiting: Document | null = null;

  start(): void {
    rememberServed();
    this.#line.className = 'live-line';
    this.#announcement.className = 'unseen';
    for (const line of [this.#line, this.#announcement]) line.setAttribute('role', 'status');
    document.body.append(this.#line, this.#announcement);
    // keepPlace() does the same; together they would scroll twice.
    document.documentElement.style.setProperty('overflow-anchor', 'none');
    document.addEventListener('visibilitychange', () => this.#begin());
    document.addEventListener('selectionchange', () => this.#showWaiting());
    addEventListener('pagehide', () => this.#stop());
    addEventListener('pageshow', ({ persisted }) => persisted && this.#begin());
    addEventListener('online', () => this.#begin());
    this.#begin();
  }

  #begin(): void {
    this.#stop();
    if (document.visibilityState === 'visible') this.#listen();
    else this.#later(hiddenPollEveryMs, () => void this.#pollHidden());
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
  }

  #later(ms: number, run: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(run, ms);
  }

  #listen(): void {
    if (typeof EventSource === 'undefined') return void this.#failed();
    const source = new EventSource(`${this.#path}/events`);
    this.#source = source;
    this.#later(answerMaxMs, () => void this.#failed());
    source.addEventListener('changed', ({ data }: MessageEvent<string>) => {
      clearTimeout(this.#timer);
      this.#failures = 0;
      this.#say('');
      void this.#changed(JSON.parse(data) as SubjectState);
    });
    source.addEventListener('progress', ({ data }: MessageEvent<string>) => {
      showProgress(JSON.parse(data) as StepState);
    });
    source.addEventListener('error', () => {
      if (this.#source === source) void this.#failed();
    });
  }

  /** Disconnected or refused. Fetching the page tells whether the service can be reached. */
  async #failed(): Promise<void> {
    this.#stop();
    this.#failures += 1;
    // A restart takes a moment, so the first failure is not shown.
    const isReached = this.#failures > 1 ? await this.#fetch() : true;
    if (this.#source !== null || document.visibilityState !== 'visible') return;
    this.#say(isReached ? '' : 'Connection lost. Trying again.');
    const backOffMs = Math.min(retryMaxMs, 1_000 * 2 ** Math.min(this.#failures, 10));
    const waitMs = isReached && this.#failures > 1 ? pollEveryMs : backOffMs;
    this.#later(waitMs * (0.75 + Math.random() / 2), () => this.#listen());
  }

  async #pollHidden(): Promise<void> {
    await this.#fetch();
    if (document.visibilityState !== 'visible') this.#begin();
  }

  async #changed(state: SubjectState): Promise<void> {
    const { revision } = state;
    if (revision === this.#shown || revision === this.#told) return;
    this.#told = revision;
    const source = this.#source;
    if (await this.#fetch()) return;
    this.#told = '';
    // Otherwise the stream has ended, and a new one starts with the current revision.
    if (source === this.#source) this.#later(pollEveryMs, () => void this.#changed(state));
  }

  /** Whether the service was reached. One fetch at a time; a change during it starts another. */
  async #fetch(): Promise<boolean> {
    this.#isStale = true;
    if (this.#isFetching) return true;
    this.#isFetching = true;
    try {
      while (this.#isStale) {
        this.#isStale = false;
        await this.#fetchOnce();
      }
      return true;
    } catch {
      return false; // Not reached. The next attempt catches up.
    } finally {
      this.#isFetching = false;
    }
  }

  async #fetchOnce(): Promise<void> {
    const path = this.#hasNewer ? `${this.#path}/${this.#episode}` : location.pathname;
    const response = await fetch(path + location.search, {
      headers: { Accept: 'text/html' }, cache: 'no-store',
    });
    if (response.status === 404) return; // The awaited report does not exist yet.
    if (!response.ok) throw new Error(`Answered ${response.status}`);
    const next = new DOMParser().parseFromString(await response.text(), 'text/html');
    const { live = '', episode = null } = next.body.dataset;
    if (this.#episode !== null && episode !== null && episode !== this.#episode) {
      return this.#noteNewer();
    }
    this.#episode = episode;
    this.#shown = live;
    this.#show(next);
  }

  #show(next: Document): void {
    const wasUnderWay = document.getElementById('progress') !== null;
    this.#waiting = showPage(next) ? null : next;
    const isUnderWay = document.getElementById('progress') !== null;
    if (wasUnderWay && !isUnderWay) this.#announcement.textContent = 'The report is ready.';
  }

  #showWaiting(): void {
    if (this.#waiting === null || getSelection()?.isCollapsed === false) return;
    this.#show(this.#waiting);
  }

  /** The reader stays with the episode shown, which is updated from its own address now. */
  #noteNewer(): void {
    this.#hasNewer = true;
    this.#isStale = true;
    const note = document.createElement('p');
    note.className = 'notice newer';
    note.setAttribute('role', 'status');
    const anchor = document.createElement('a');
    anchor.href = location.pathname;
    anchor.textContent = 'Show it';
    note.append('This alert has a newer episode. ', anchor);
    keepPlace(() => document.querySelector('main')?.before(note));
  }

  #say(text: string): void {
    if (this.#line.textContent !== text) this.#line.textContent = text;
  }
}

function showProgress({ step, done, of }: StepState): void {
  const words = document.querySelector('[data-progress=words]');
  const bar = document.querySelector('progress[data-progress=bar]');
  if (words === null || !(bar instanceof HTMLProgressElement)) return;
  words.textContent = `${step}, ${done} of ${of}`;
  bar.max = of;
  bar.value = done;
}

// Lets the style sheet distinguish pages with script from those without.
document.documentElement.dataset['script'] = 'on';
if (document.body.dataset['live'] !== undefined && location.protocol.startsWith('http')) {
  new LivePage().start();
}
