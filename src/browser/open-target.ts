// Opens the item of evidence that a link on the page leads to, and the folds that it is in.
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
    if (target?.matches('article') !== true) return;
    target.querySelector(':scope > details')?.setAttribute('open', '');
    for (let each = target.parentElement; each !== null; each = each.parentElement) {
      if (each.matches('details')) each.setAttribute('open', '');
    }
    target.scrollIntoView();
  }
}
