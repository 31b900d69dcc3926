// Buttons that copy text from the page, copy the report in another format, or print.
{
  const feedbackMs = 2000;

  /** Announces the outcome to screen readers. */
  const announcement = document.createElement('p');
  announcement.className = 'unseen';
  announcement.setAttribute('role', 'status');
  document.body.append(announcement);

  document.addEventListener('click', (event) => {
    const { target } = event;
    const button = target instanceof Element ? target.closest('button') : null;
    if (button === null) return;
    const { copyFrom, copyReport, print } = button.dataset;
    if (copyFrom !== undefined) {
      const source = document.getElementById(copyFrom);
      if (source !== null) void copyAndSay(button, () => Promise.resolve(source.textContent ?? ''));
    }
    if (copyReport !== undefined) void copyAndSay(button, () => textAt(copyReport));
    if (print !== undefined) window.print();
  });

  async function copyAndSay(button: HTMLElement, read: () => Promise<string>): Promise<void> {
    const isCopied = await read().then(copyText).catch(() => false);
    announcement.textContent = isCopied ? 'Copied' : 'Not copied: select the text by hand';
    const label = button.firstChild;
    if (label === null || button.dataset['said'] !== undefined) return;
    const before = label.textContent;
    button.dataset['said'] = '';
    label.textContent = isCopied ? 'Copied' : 'Not copied';
    setTimeout(() => {
      label.textContent = before;
      delete button.dataset['said'];
      announcement.textContent = '';
    }, feedbackMs);
  }

  async function textAt(path: string): Promise<string> {
    const answer = await fetch(path, { credentials: 'same-origin' });
    if (!answer.ok) throw new Error(`Answered ${answer.status}`);
    return answer.text();
  }

  async function copyText(text: string): Promise<boolean> {
    // Pages loaded over plain HTTP have no access to the clipboard API.
    if (window.isSecureContext) {
      const isWritten = await navigator.clipboard.writeText(text).then(() => true, () => false);
      if (isWritten) return true;
    }
    return copySelected(text);
  }

  /** The legacy way: fills a field, selects and copies it, then restores the focus. */
  function copySelected(text: string): boolean {
    const focused = document.activeElement;
    const field = document.createElement('textarea');
    field.value = text;
    field.readOnly = true;
    field.className = 'unseen';
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand('copy');
    field.remove();
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
    return isCopied;
  }
}
