import { html, type Html } from '../../html.ts';

const keys: readonly (readonly [key: string, does: string])[] = [
  ['/', 'search'],
  ['j', 'next alert'],
  ['k', 'previous alert'],
  ['Enter', 'open the selected alert'],
  ['o', 'show or hide the alerts of an incident'],
  ['Esc', 'leave a field or the selection'],
  ['?', 'this list of keys'],
];

/** The keys that the script handles; without a script the dialog stays closed. */
export function keysDialog(): Html {
  const rows = keys.map(([key, does]) => html`<dt><kbd>${key}</kbd></dt><dd>${does}</dd>\n`);
  return html`<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2>
<dl class="rows">${rows}</dl>
<form method="dialog"><button>Close</button></form></dialog>`;
}
