import type { DevTools } from './devtools-pipe.ts';
import type { RemoteValue } from './devtools-protocol.ts';

/** What a page did that nobody reads off its text. */
export interface PageRecord {
  /** What the browser complained of: its console, exceptions, its log, its audit of the page. */
  readonly complaints: readonly string[];
  /** The texts of alert(), confirm() and prompt(), each dismissed. */
  readonly dialogs: readonly string[];
  /** Address of everything asked for, the page itself included. */
  readonly requests: readonly string[];
  /** Forgets what was noted so far. */
  clear(): void;
}

/** Asks the browser to tell of everything, before the page is there. */
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
