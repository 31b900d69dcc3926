/**
 * Loaded with --import into the service under measurement: its worker threads stand still as long
 * as the file named by PARK_FILE exists, so that taking alerts can be measured by itself.
 * Plain JavaScript, because it is loaded into whatever was built.
 */
import { existsSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env.PARK_FILE;
const cell = new Int32Array(new SharedArrayBuffer(4));

if (!isMainThread && file !== undefined) {
  setInterval(() => {
    while (existsSync(file)) Atomics.wait(cell, 0, 0, 50);
  }, 10).unref();
}
