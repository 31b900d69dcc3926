/**
 * Keys for the list of alerts. The selection is the focus on a row's link, so Enter opens it and
 * screen readers announce it. Elements are looked up when needed: a page that was opened before the
 * first alert gets its list later.
 */
{
  /** Address of the selected link, to find it again when its row is replaced. */
  let selected: string | null = null;

  const actions: Readonly<Record<string, () => void>> = {
    j: () => move(1),
    k: () => move(-1),
    o: toggleFold,
    '/': () => {
      const field = document.querySelector<HTMLInputElement>('[data-filter] input[name=text]');
      field?.focus();
      field?.select();
    },
    '?': showKeys,
    Escape: () => {
      selected = null;
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    },
  };

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (document.querySelector('#list') === null) return;
    if (document.querySelector('dialog[open]') !== null) return;
    if (isTyping(event.target) && event.key !== 'Escape') return;
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (action === undefined) return;
    event.preventDefault();
    action();
  });

  // Losing the focus does not end the selection, as a row that is replaced loses it.
  document.addEventListener('focusin', ({ target }) => {
    const isRow = target instanceof HTMLAnchorElement && target.closest('[data-row]') !== null;
    selected = isRow ? target.href : null;
  });
  document.addEventListener('pointerdown', () => (selected = null));
  document.addEventListener('pagechange', () => {
    if (selected === null || document.activeElement !== document.body) return;
    links().find(({ href }) => href === selected)?.focus({ preventScroll: true });
  });

  // A choice applies at once; typed text on Enter or with the button.
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLSelectElement)) return;
    target.closest<HTMLFormElement>('form[data-filter]')?.requestSubmit();
  });
  // Empty fields are left out of the address, which people share.
  document.addEventListener('formdata', ({ target, formData }) => {
    if (!(target instanceof Element) || !target.matches('[data-filter]')) return;
    for (const [name, value] of [...formData]) if (value === '') formData.delete(name);
  });

  document.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('[data-keys]') !== null) showKeys();
  });

  function links(): HTMLAnchorElement[] {
    return [...document.querySelectorAll<HTMLAnchorElement>(
      '[data-row] h3 a, [data-row] details[open] a')];
  }

  function select(link: HTMLAnchorElement | undefined): void {
    if (link === undefined) return;
    link.focus({ preventScroll: true });
    (link.closest('.folded li, [data-row]') ?? link).scrollIntoView({ block: 'nearest' });
  }

  function move(step: 1 | -1): void {
    const all = links();
    const active = document.activeElement;
    const row = active?.closest('[data-row]');
    const exact = all.findIndex((link) => link === active);
    const from = exact === -1 ? all.findIndex((link) => row?.contains(link)) : exact;
    select(from === -1 ? all.at(step === 1 ? 0 : -1) : all[from + step]);
  }

  function toggleFold(): void {
    const row = document.activeElement?.closest('[data-row]');
    const details = row?.querySelector('details');
    if (details) details.open = !details.open;
  }

  function showKeys(): void {
    const dialog = document.getElementById('keys');
    if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal();
  }

  function isTyping(target: EventTarget | null): boolean {
    return target instanceof HTMLElement
      && (target.isContentEditable || target.matches('input, select, textarea'));
  }
}
