/**
 * Sends the forms marked `data-feedback` without leaving the page, so that nothing typed is lost
 * when it cannot be stored. What the service answers is shown where the form says `data-problem`.
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
      form.reset(); // Else the browser fills the loaded page with what was sent.
      location.reload();
      return;
    }
    if (button !== null) button.disabled = false;
    if (place === null) return;
    place.hidden = false;
    const isTyped = form.querySelector('textarea') !== null;
    place.textContent = isTyped ? `${problem} What you typed is still here.` : problem;
  }

  /** Null when it was taken, else why it was not. */
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
      if (typeof detail === 'string') return `${detail}.`;
    } catch {
      // Not from the service: a proxy answers in its own way.
    }
    return `The answer is ${response.status} ${response.statusText}.`;
  }
}
