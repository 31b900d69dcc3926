/**
 * Keys for the list of alerts. The selection is the focus on a row's link, so that Enter opens it,
 * a screen reader says it, and nothing has to be kept in step. Everything is looked for when it is
 * needed: a page that was opened before the first alert gets its list later.
 */
{
  const hasList = (): boolean => document.getElementById('list') !== null;

  const links = (): HTMLElement[] =>
    [...document.querySelectorAll<HTMLElement>('[data-row] h3 a, [data-row] details[open] a')];

  /** Address of the selected link: it is found again by it when its row is put in place anew. */
  let selected: string | null = null;

  const select = (link: HTMLElement | undefined): void => {
    if (link === undefined) return;
    link.focus({ preventScroll: true });
    (link.closest('.folded li, [data-row]') ?? link).scrollIntoView({ block: 'nearest' });
  };

  const move = (step: 1 | -1): void => {
    const all = links();
    const active = document.activeElement;
    const row = active?.closest('[data-row]') ?? null;
    const at = all.findIndex((link) => link === active || (row !== null && row.contains(link)));
    const exact = active === null ? -1 : all.findIndex((link) => link === active);
    const from = exact === -1 ? at : exact;
    select(all[from === -1 ? (step === 1 ? 0 : all.length - 1) : from + step]);
  };

  const toggle = (): void => {
    const row = document.activeElement?.closest('[data-row]');
    const details = row?.querySelector('details');
    if (details) details.open = !details.open;
  };

  const showKeys = (): void => {
    const dialog = document.getElementById('keys');
    if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal();
  };

  const isTyping = (target: EventTarget | null): boolean =>
    target instanceof HTMLElement
    && (target.isContentEditable || target.matches('input, select, textarea'));

  const actions: Readonly<Record<string, () => void>> = {
    j: () => move(1),
    k: () => move(-1),
    o: toggle,
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
    if (!hasList() || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (document.querySelector('dialog[open]') !== null) return;
    if (isTyping(event.target) && event.key !== 'Escape') return;
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (action === undefined) return;
    event.preventDefault();
    action();
  });

  // Not when the focus is lost: that is what happens to a row that is put in place anew.
  document.addEventListener('focusin', ({ target }) => {
    const isRow = target instanceof HTMLAnchorElement && target.closest('[data-row]') !== null;
    selected = isRow ? target.href : null;
  });
  document.addEventListener('pointerdown', () => (selected = null));
  document.addEventListener('pagechange', () => {
    if (selected === null || document.activeElement !== document.body) return;
    const again = links().find((link) =>
      link instanceof HTMLAnchorElement && link.href === selected);
    again?.focus({ preventScroll: true });
  });

  // What is chosen applies at once; what is typed when Enter or the button says so.
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLSelectElement)) return;
    target.closest<HTMLFormElement>('form[data-filter]')?.requestSubmit();
  });
  // A shared address says only what was chosen.
  document.addEventListener('formdata', ({ target, formData }) => {
    if (!(target instanceof Element) || !target.matches('[data-filter]')) return;
    for (const [name, value] of [...formData]) if (value === '') formData.delete(name);
  });

  document.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('[data-keys]') !== null) showKeys();
  });
}
