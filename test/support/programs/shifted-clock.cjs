/**
 * Loaded before a program (`node --require`): its wall clock is off by as many milliseconds as
 * stand in the file named by CLOCK_SHIFT_FILE, in all of its threads, and jumps when that changes.
 * Monotonic time and timers go on as ever, as they do when an operator sets a clock.
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
