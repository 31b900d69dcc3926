/**
 * Loaded with --import into the service being measured. While the file named by PARK_FILE exists,
 * investigations are held back from the worker threads, so that intake can be measured alone. Plain
 * JavaScript, because it is loaded into whatever was built.
 */
import { existsSync } from 'node:fs';
import { isMainThread, Worker } from 'node:worker_threads';

const file = process.env.PARK_FILE;
const checkEveryMs = 10;

if (isMainThread && file !== undefined) {
  const post = Worker.prototype.postMessage;
  const held = [];
  let isParked = existsSync(file);
  Worker.prototype.postMessage = function (...message) {
    if (isParked && message[0]?.kind === 'investigate') held.push({ worker: this, message });
    else post.apply(this, message);
  };
  setInterval(() => {
    isParked = existsSync(file);
    if (isParked) return;
    for (const { worker, message } of held.splice(0)) post.apply(worker, message);
  }, checkEveryMs).unref();
}
