/**
 * Loaded before a program (`node --require`): shifts the wall clock of all its threads by the
 * milliseconds in the file named by CLOCK_SHIFT_FILE; when the file changes, the clock jumps.
 * Monotonic time and timers are not affected, as when an operator sets the clock.
 */
'use strict';
const { readFileSync } = require('node:fs');
const threads = require('node:worker_threads');
const { alsoInThreads } = require('./also-in-threads.cjs');

if (threads.isMainThread) threads.setEnvironmentData('shift', process.env.CLOCK_SHIFT_FILE);
const file = threads.getEnvironmentData('shift');
const RealDate = Date;

globalThis.Date = class ShiftedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(ShiftedDate.now());
    else super(...given);
  }

  static now() {
    return RealDate.now() + Number(readFileSync(file, 'utf8'));
  }
};

alsoInThreads(__filename);
