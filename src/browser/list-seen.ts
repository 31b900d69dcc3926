/**
 * Marks the rows of the list that began or ended since the reader last looked at it, and counts
 * them. When that was is kept in this browser only.
 */
{
  const key = 'alerts-seen';
  /** Ms; NaN for a reader who has not been here. */
  const seenMs = Number(recall() ?? NaN);

  markNew();
  document.addEventListener('pagechange', markNew);
  addEventListener('pagehide', remember);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') remember();
  });

  function recall(): string | null {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // Storage may be forbidden.
    }
  }

  function remember(): void {
    if (document.querySelector('#list') === null) return;
    try {
      localStorage.setItem(key, String(Date.now()));
    } catch {
      // As above.
    }
  }

  function markNew(): void {
    const list = document.querySelector('#list');
    if (list === null || Number.isNaN(seenMs)) return;
    const isNew = (row: HTMLElement): boolean => Number(row.dataset['row']) > seenMs;
    const fresh = [...list.querySelectorAll<HTMLElement>('[data-row]')].filter(isNew);
    for (const row of fresh) mark(row.querySelector('.cell'));
    const line = list.querySelector('#since-seen') ?? document.createElement('p');
    const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' }).format(seenMs);
    const count = fresh.length === 0 ? 'Nothing' : fresh.length;
    const text = `${count} new since you last looked, ${time}.`;
    line.id = 'since-seen';
    line.className = 'quiet small';
    if (line.textContent !== text) line.textContent = text;
    if (!line.isConnected) list.querySelector('.counts')?.after(line);
  }

  function mark(cell: Element | null | undefined): void {
    if (!cell || cell.querySelector('.new')) return;
    const word = document.createElement('span');
    word.className = 'new';
    word.textContent = ' new';
    cell.append(word);
  }
}
