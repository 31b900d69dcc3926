import type { DevTools } from './devtools-pipe.ts';
import type { RemoteValue } from './devtools-protocol.ts';

/** What a page did that is not visible on it. */
export interface PageRecord {
  /** Console messages, exceptions, entries of the browser's log, and issues of its audit. */
  readonly complaints: readonly string[];
  /** The texts of alert(), confirm() and prompt(), each of which was dismissed. */
  readonly dialogs: readonly string[];
  /** The URLs of all requests, that of the page included. */
  readonly requests: readonly string[];
  /** Clears the record. */
  clear(): void;
}

/** Starts recording; call it before the page is loaded. */
export async function recordPage(devtools: DevTools): Promise<PageRecord> {
  const complaints: string[] = [];
  const dialogs: string[] = [];
  const requests: string[] = [];
  devtools.on('Runtime.consoleAPICalled', ({ type, args }) => {
    if (type !== 'endGroup') complaints.push(`console ${type}: ${args.map(said).join(' ')}`);
  });
  devtools.on('Runtime.exceptionThrown', ({ exceptionDetails: { text, exception } }) => {
    complaints.push(`exception: ${text} ${said(exception)}`);
  });
  devtools.on('Log.entryAdded', ({ entry }) => {
    complaints.push(`${entry.source} ${entry.level}: ${entry.text} ${entry.url ?? ''}`.trim());
  });
  devtools.on('Audits.issueAdded', ({ issue: { code, details } }) => {
    complaints.push(`audit ${code}: ${JSON.stringify(details)}`);
  });
  devtools.on('Inspector.targetCrashed', () => complaints.push('the page crashed'));
  devtools.on('Page.javascriptDialogOpening', ({ message }) => {
    dialogs.push(message);
    devtools.send('Page.handleJavaScriptDialog', { accept: false }).catch(() => undefined);
  });
  devtools.on('Network.requestWillBeSent', ({ request }) => requests.push(request.url));
  devtools.on('Network.webSocketCreated', ({ url }) => requests.push(url));
  await Promise.all([
    devtools.send('Page.enable', {}), devtools.send('Runtime.enable', {}),
    devtools.send('Log.enable', {}), devtools.send('Audits.enable', {}),
    devtools.send('Network.enable', {}), devtools.send('DOM.enable', {}),
  ]);
  const lists = [complaints, dialogs, requests];
  return {
    complaints, dialogs, requests,
    clear: () => lists.forEach((list) => list.splice(0)),
  };
}

function said(value: RemoteValue | undefined): string {
  if (value === undefined) return '';
  if (typeof value.value === 'string') return value.value;
  return value.description ?? JSON.stringify(value.value) ?? value.type;
}
