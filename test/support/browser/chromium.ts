/**
 * A headless Chromium for tests: with a temporary profile, without connections to other machines,
 * and without processes left behind.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cleanup } from '../cleanup.ts';
import { findProgram } from '../programs/programs.ts';
import { openBrowserPage, type BrowserPage, type NewPageOptions } from './browser-page.ts';
import { createDevToolsPipe, type DevToolsPipe } from './devtools-pipe.ts';

export interface Chromium {
  /** A page with its own cookies and storage, which is closed with `cleanup`. */
  open(cleanup: Cleanup, options?: NewPageOptions): Promise<BrowserPage>;
}

const stopWithinMs = 5_000;
const outputLimit = 20_000;

const flags = [
  '--headless=new', '--remote-debugging-pipe', '--disable-gpu', '--disable-dev-shm-usage',
  '--disable-background-networking', '--disable-component-update', '--no-first-run',
  '--no-default-browser-check', '--disable-sync', '--metrics-recording-only', '--disable-breakpad',
  '--disable-extensions', '--disable-default-apps', '--disable-domain-reliability',
  '--password-store=basic', '--use-mock-keychain', '--hide-scrollbars', '--mute-audio',
  '--disable-features=Translate,MediaRouter,OptimizationHints,AutofillServerCommunication',
  // No host name resolves, so only this machine can be reached.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--font-render-hinting=none', '--force-color-profile=srgb', '--lang=en-GB',
];

/** Throws if there is no Chromium, and names its Debian package. */
export async function startChromium(cleanup: Cleanup): Promise<Chromium> {
  const program = findProgram('chromium', 'chromium');
  const profile = mkdtempSync(join(tmpdir(), 'alert-analyst-chromium-'));
  const isRoot = process.getuid?.() === 0;
  const child = spawn(
    program,
    [...flags, ...(isRoot ? ['--no-sandbox'] : []), `--user-data-dir=${join(profile, 'profile')}`],
    {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
      // A process group of its own, so that all processes of the browser can be killed at once.
      detached: true,
      env: { PATH: process.env['PATH'], HOME: profile, TMPDIR: profile, TZ: 'UTC' },
    },
  );
  const devtools = connect(child);
  cleanup.after(async () => {
    await stop(child, devtools);
    // Its last processes may still write while they exit.
    rmSync(profile, { recursive: true, force: true, maxRetries: 20 });
  });
  return {
    open: (forPage, options = {}) => openBrowserPage(devtools, forPage, options),
  };
}

function connect(child: ChildProcess): DevToolsPipe {
  const [, stdout, stderr, toBrowser, fromBrowser] = child.stdio;
  const devtools = createDevToolsPipe({
    toBrowser: toBrowser as Writable, fromBrowser: fromBrowser as Readable,
  });
  let said = '';
  for (const stream of [stdout, stderr]) {
    (stream as Readable).on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-outputLimit);
    });
  }
  child.once('error', (error) => devtools.end(`Cannot start Chromium: ${error.message}`));
  child.once('exit', (code, signal) => {
    devtools.end(`Chromium exited with ${code ?? signal}. Its output:\n${said}`);
  });
  return devtools;
}

async function stop(child: ChildProcess, devtools: DevToolsPipe): Promise<void> {
  const isGone = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const gone = new Promise<void>((resolve) => {
    if (isGone()) resolve();
    else child.once('exit', () => resolve());
  });
  devtools.send('Browser.close', {}).catch(() => undefined);
  const late = new AbortController();
  await Promise.race([
    gone, delay(stopWithinMs, null, { signal: late.signal }).catch(() => null),
  ]);
  late.abort();
  // Its helper processes may outlive it for a moment.
  if (child.pid !== undefined) endGroup(child.pid);
  await gone;
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
