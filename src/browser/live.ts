/**
 * Keeps the page up to date: listens to the service and fetches the page again when it has changed.
 * Where it cannot listen it looks every few seconds instead. Only a page with `data-live` is kept
 * so; the value is the revision that it shows.
 */

/** What is read of the event `changed`. */
interface SubjectState {
  readonly revision: string;
}

/** What the event `progress` says. */
interface StepState {
  readonly step: string;
  readonly done: number;
  readonly of: number;
}

/** Ms between two looks where listening is refused. */
const lookEveryMs = 5_000;
/** The same of a hidden page: only its title is seen, and a connection is left to other pages. */
const hiddenLookEveryMs = 60_000;
const retryMaxMs = 30_000;
/** The first event comes at once, unless a proxy on the way holds back what it should pass on. */
const answerMaxMs = 10_000;

class LivePage {
  readonly #path = location.pathname.replace(/\/$/, '');
  /** Says, to be seen, that the connection is lost. */
  readonly #line = document.createElement('p');
  /** Says to screen readers that the report is ready. */
  readonly #heard = document.createElement('p');
  #source: EventSource | null = null;
  #timer = 0;
  #failures = 0;
  /** Revision of what is shown. */
  #shown = document.body.dataset['live'] ?? '';
  /** Revision that was told last. */
  #told = '';
  /** Of a report; null while its alert has yet to come, and on other pages. */
  #episode = document.body.dataset['episode'] ?? null;
  #hasNewer = false;
  #isFetching = false;
  #isStale = false;
  /** Fetched and not shown whole, because the reader has text selected. */
  #waiting: Document | null = null;

  start(): void {
    rememberServed();
    this.#line.className = 'live-line';
    this.#heard.className = 'heard-only';
    for (const line of [this.#line, this.#heard]) line.setAttribute('role', 'status');
    document.body.append(this.#line, this.#heard);
    // keepPlace() does this; both of them would move the page twice.
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
    else this.#later(hiddenLookEveryMs, () => void this.#lookHidden());
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
      this.#changed(JSON.parse(data) as SubjectState);
    });
    source.addEventListener('progress', ({ data }: MessageEvent<string>) => {
      showProgress(JSON.parse(data) as StepState);
    });
    source.addEventListener('error', () => {
      if (this.#source === source) void this.#failed();
    });
  }

  /** Cut off or refused. The page itself tells whether the service can be reached. */
  async #failed(): Promise<void> {
    this.#stop();
    this.#failures += 1;
    // A restart takes a moment, and is nothing to speak of.
    const isReached = this.#failures > 1 ? await this.#fetch() : true;
    if (this.#source !== null || document.visibilityState !== 'visible') return;
    this.#say(isReached ? '' : 'Connection lost. Trying again.');
    const backOffMs = Math.min(retryMaxMs, 1_000 * 2 ** Math.min(this.#failures, 10));
    const waitMs = isReached && this.#failures > 1 ? lookEveryMs : backOffMs;
    this.#later(waitMs * (0.75 + Math.random() / 2), () => this.#listen());
  }

  async #lookHidden(): Promise<void> {
    await this.#fetch();
    if (document.visibilityState !== 'visible') this.#begin();
  }

  #changed({ revision }: SubjectState): void {
    if (revision === this.#shown || revision === this.#told) return;
    this.#told = revision;
    void this.#fetch();
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
      return false; // Not reached. The next try catches up with everything.
    } finally {
      this.#isFetching = false;
    }
  }

  async #fetchOnce(): Promise<void> {
    const path = this.#hasNewer ? `${this.#path}/${this.#episode}` : location.pathname;
    const response = await fetch(path + location.search, {
      headers: { Accept: 'text/html' }, cache: 'no-store',
    });
    if (response.status === 404) return; // What is awaited has not come yet.
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
    if (wasUnderWay && !isUnderWay) this.#heard.textContent = 'The report is ready.';
  }

  #showWaiting(): void {
    if (this.#waiting === null || getSelection()?.isCollapsed === false) return;
    this.#show(this.#waiting);
  }

  /** The reader stays with the episode at hand, which goes on changing at its own address. */
  #noteNewer(): void {
    this.#hasNewer = true;
    this.#isStale = true;
    const note = document.createElement('p');
    note.className = 'notice newer';
    note.setAttribute('role', 'status');
    const anchor = document.createElement('a');
    anchor.href = location.pathname;
    anchor.textContent = 'Show it';
    note.append('The alert fires again: this report is of an earlier episode. ', anchor);
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

// Lets the style sheet and other scripts tell a page with script from one without.
document.documentElement.dataset['script'] = 'on';
if (document.body.dataset['live'] !== undefined && location.protocol.startsWith('http')) {
  new LivePage().start();
}
