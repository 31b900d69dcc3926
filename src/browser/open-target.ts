// Opens the target of a link on the page: the item's own fold, and every fold around it.
{
  addEventListener('hashchange', openTarget);
  // Following the same link again does not change the address.
  document.addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest('a[href^="#"]') : null;
    if (link !== null && link.getAttribute('href') === location.hash) openTarget();
  });
  openTarget();

  function openTarget(): void {
    const target = document.getElementById(location.hash.slice(1));
    if (target === null) return;
    const isItem = target.matches('article, li');
    const fold = isItem ? target.querySelector(':scope > details') : null;
    if (fold instanceof HTMLDetailsElement) fold.open = true;
    let isHidden = false;
    for (let each = target.parentElement; each !== null; each = each.parentElement) {
      if (!(each instanceof HTMLDetailsElement) || each.open) continue;
      each.open = true;
      isHidden = true;
    }
    if (isHidden) target.scrollIntoView();
  }
}
