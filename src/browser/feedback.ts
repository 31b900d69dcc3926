/**
 * Sends the forms marked `data-feedback` without leaving the page, so that nothing typed is lost if
 * it cannot be stored. A problem is shown in the form's element `data-problem`.
 */
{
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.hasAttribute('data-feedback')) return;
    event.preventDefault();
    void submit(form);
  });

  async function submit(form: HTMLFormElement): Promise<void> {
    const button = form.querySelector('button');
    const place = form.querySelector<HTMLElement>('[data-problem]');
    if (button !== null) button.disabled = true;
    if (place !== null) place.hidden = true;
    const problem = await send(form);
    if (problem === null) {
      form.reset(); // Or the browser would fill it in again after the reload.
      // Where there is a newer episode, the page's own address leads to that one by now.
      if (document.querySelector('.newer') === null) location.reload();
      else location.assign(form.action.replace(/\/[^/]*$/, ''));
      return;
    }
    if (button !== null) button.disabled = false;
    if (place === null) return;
    place.hidden = false;
    const isTyped = form.querySelector('textarea') !== null;
    place.textContent = isTyped ? `${problem} What you typed is still here.` : problem;
  }

  /** Null if it was accepted, else why not, as a sentence. */
  async function send(form: HTMLFormElement): Promise<string | null> {
    const body = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
      if (typeof value === 'string') body.append(name, value);
    }
    try {
      const headers = { Accept: 'application/json' };
      const response = await fetch(form.action, { method: 'POST', body, headers });
      return response.ok ? null : await detailOf(response);
    } catch {
      return 'The service does not answer.';
    }
  }

  async function detailOf(response: Response): Promise<string> {
    try {
      const { detail } = (await response.json()) as { readonly detail?: unknown };
      if (typeof detail === 'string') return detail.replace(/\.?$/, '.');
    } catch {
      // Not JSON, so the answer is from a proxy.
    }
    // HTTP/2 has no status text.
    return `The server answered ${[response.status, response.statusText].join(' ').trim()}.`;
  }
}
