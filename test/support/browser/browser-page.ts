import { writeFileSync } from 'node:fs';
import type { Cleanup } from '../cleanup.ts';
import { eventually } from '../programs/programs.ts';
import type { DevTools } from './devtools-pipe.ts';
import type { Parameters, Viewport } from './devtools-protocol.ts';
import { recordPage, type PageRecord } from './page-record.ts';

export interface PageOptions {
  readonly viewport?: Viewport;
  readonly scheme?: 'light' | 'dark';
  readonly media?: 'print';
  /** False to read the page without scripts. */
  readonly script?: boolean;
  /** Such as `Asia/Kolkata`; default UTC. */
  readonly timeZone?: string;
}

export interface NewPageOptions extends PageOptions {
  /** An origin whose pages may use the clipboard without asking. */
  readonly clipboardOf?: string;
}

export interface BrowserPage {
  readonly devtools: DevTools;
  readonly record: PageRecord;
  readonly viewport: Viewport;
  /** Shows the same page with other options; those left out are reset to their defaults. */
  show(options: PageOptions): Promise<void>;
  /** Resolves when the page is loaded; a status such as 404 is not an error. */
  goto(url: string): Promise<void>;
  /** Evaluates an expression; its value, or what it is a promise of, must be JSON. */
  evaluate<T>(expression: string): Promise<T>;
  /** Resolves once the expression is true in the page. */
  until(what: string, expression: string): Promise<void>;
  /** Resolves once a page in which the expression is true is completely loaded. */
  untilLoaded(what: string, expression: string): Promise<void>;
  /** Presses and releases a key: `Tab`, `Enter`, `j`, … */
  press(key: string): Promise<void>;
  type(text: string): Promise<void>;
  /** Clicks the middle of the first visible element that matches the selector. */
  click(selector: string): Promise<void>;
  /** Writes a PNG file of the whole page or, unless `whole`, of what the window shows. */
  screenshot(path: string, options?: { readonly whole?: boolean }): Promise<void>;
  /** Prints to PDF, into a file if a path is given. Resolves with the number of A4 sheets. */
  print(path?: string): Promise<number>;
}

/** `zoomed` is a window of 1280 pixels at 200 %, in which a page is laid out in half as many. */
export const viewports: {
  readonly [name in 'phone' | 'desk' | 'narrow' | 'zoomed']: Viewport
} = {
  phone: { width: 390, height: 844, deviceScaleFactor: 2, mobile: true },
  desk: { width: 1280, height: 900, deviceScaleFactor: 1, mobile: false },
  narrow: { width: 320, height: 640, deviceScaleFactor: 2, mobile: true },
  zoomed: { width: 640, height: 450, deviceScaleFactor: 2, mobile: false },
};

const a4Inches = { paperWidth: 8.27, paperHeight: 11.69 };

export async function openBrowserPage(
  browser: DevTools,
  cleanup: Cleanup,
  options: NewPageOptions,
): Promise<BrowserPage> {
  const { browserContextId } = await browser.send('Target.createBrowserContext', {});
  cleanup.after(async () => {
    await browser.send('Target.disposeBrowserContext', { browserContextId }).catch(() => null);
  });
  if (options.clipboardOf !== undefined) {
    await browser.send('Browser.grantPermissions', {
      origin: options.clipboardOf, browserContextId,
      permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'],
    });
  }
  const { targetId } = await browser.send('Target.createTarget', {
    url: 'about:blank', browserContextId,
  });
  const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
  const devtools = browser.session(sessionId);
  const record = await recordPage(devtools);
  let { viewport = viewports.desk } = options;
  await emulate(devtools, options);
  const evaluate = <T>(expression: string): Promise<T> => evaluateIn<T>(devtools, expression);
  const until = async (what: string, expression: string): Promise<void> => {
    const isSo = async (): Promise<true | null> => (await evaluate(expression)) ? true : null;
    await eventually(what, isSo, { everyMs: 20 });
  };
  return {
    devtools, record, evaluate, until,
    get viewport() {
      return viewport;
    },
    show: async (changed) => {
      ({ viewport = viewports.desk } = changed);
      await emulate(devtools, changed);
    },
    goto: await navigation(devtools),
    untilLoaded: (what, expression) =>
      until(what, `document.readyState === 'complete' && (${expression})`),
    press: (key) => press(devtools, key),
    type: async (text) => {
      for (const letter of text) await press(devtools, letter);
    },
    click: (selector) => click(devtools, selector),
    screenshot: async (path, { whole = true } = {}) => {
      const { data } = await devtools.send('Page.captureScreenshot', {
        format: 'png', captureBeyondViewport: whole,
      });
      writeFileSync(path, Buffer.from(data, 'base64'));
    },
    print: (path) => print(devtools, path),
  };
}

async function emulate(devtools: DevTools, options: PageOptions): Promise<void> {
  const { viewport = viewports.desk, scheme = 'light' } = options;
  // Empty, not `screen`, which would also apply when the page is printed.
  const media = options.media ?? '';
  await Promise.all([
    devtools.send('Emulation.setDeviceMetricsOverride', viewport),
    devtools.send('Emulation.setTouchEmulationEnabled', { enabled: viewport.mobile }),
    devtools.send('Emulation.setEmulatedMedia', {
      media, features: [{ name: 'prefers-color-scheme', value: scheme }],
    }),
    devtools.send('Emulation.setFocusEmulationEnabled', { enabled: true }),
    devtools.send('Emulation.setTimezoneOverride', { timezoneId: options.timeZone ?? '' }),
    devtools.send('Emulation.setScriptExecutionDisabled', { value: options.script === false }),
    devtools.send('Page.setLifecycleEventsEnabled', { enabled: true }),
  ]);
}

async function navigation(devtools: DevTools): Promise<(url: string) => Promise<void>> {
  const loaded = new Set<string>();
  devtools.on('Page.lifecycleEvent', ({ loaderId, name }) => {
    if (name === 'load') loaded.add(loaderId);
  });
  return async (url) => {
    const { loaderId = '', errorText } = await devtools.send('Page.navigate', { url });
    if (errorText !== undefined) throw new Error(`Cannot open ${url}: ${errorText}`);
    await eventually(`${url} to load`, () => (loaded.has(loaderId) ? true : null), { everyMs: 5 });
  };
}

async function evaluateIn<T>(devtools: DevTools, expression: string): Promise<T> {
  const { result, exceptionDetails } = await devtools.send('Runtime.evaluate', {
    expression, returnByValue: true, awaitPromise: true, userGesture: true,
  });
  if (exceptionDetails === undefined) return result.value as T;
  const { text, exception } = exceptionDetails;
  throw new Error(`${expression}: ${text} ${exception?.description ?? ''}`);
}

type Key = Omit<Parameters<'Input.dispatchKeyEvent'>, 'type'>;

const namedKeys: Readonly<Record<string, Key>> = {
  Tab: { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 },
  Enter: { key: 'Enter', code: 'Enter', text: '\r', windowsVirtualKeyCode: 13 },
  Escape: { key: 'Escape', code: 'Escape', windowsVirtualKeyCode: 27 },
  Space: { key: ' ', code: 'Space', text: ' ', windowsVirtualKeyCode: 32 },
  ArrowUp: { key: 'ArrowUp', code: 'ArrowUp', windowsVirtualKeyCode: 38 },
  ArrowDown: { key: 'ArrowDown', code: 'ArrowDown', windowsVirtualKeyCode: 40 },
};

async function press(devtools: DevTools, name: string): Promise<void> {
  const key = namedKeys[name] ?? {
    key: name, text: name, code: /[a-z]/i.test(name) ? `Key${name.toUpperCase()}` : '',
    windowsVirtualKeyCode: name.toUpperCase().charCodeAt(0),
  };
  const type = key.text === undefined ? 'rawKeyDown' : 'keyDown';
  await devtools.send('Input.dispatchKeyEvent', { ...key, type });
  await devtools.send('Input.dispatchKeyEvent', { ...key, type: 'keyUp' });
}

async function click(devtools: DevTools, selector: string): Promise<void> {
  const quoted = JSON.stringify(selector);
  const at = await evaluateIn<{ x: number; y: number } | null>(devtools, `(() => {
    const found = [...document.querySelectorAll(${quoted})];
    const element = found.find((each) => each.checkVisibility());
    element?.scrollIntoView({ block: 'center', behavior: 'instant' });
    const box = element?.getClientRects()[0];
    return box ? { x: box.left + box.width / 2, y: box.top + box.height / 2 } : null;
  })()`);
  if (at === null) throw new Error(`Cannot click ${selector}: it is not shown`);
  const event: Omit<Parameters<'Input.dispatchMouseEvent'>, 'type'> = {
    ...at, button: 'left', clickCount: 1,
  };
  await devtools.send('Input.dispatchMouseEvent', { ...event, type: 'mousePressed' });
  await devtools.send('Input.dispatchMouseEvent', { ...event, type: 'mouseReleased' });
}

async function print(devtools: DevTools, path?: string): Promise<number> {
  const { data } = await devtools.send('Page.printToPDF', { printBackground: true, ...a4Inches });
  const pdf = Buffer.from(data, 'base64');
  if (path !== undefined) writeFileSync(path, pdf);
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}
