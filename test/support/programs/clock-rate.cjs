/**
 * Loaded before the service (`node --require`): makes time pass CLOCK_RATE times as fast in all of
 * its threads. At 0.1 no deadline is missed because the machine is busy; at 4 a test need not wait
 * a minute for a limit.
 */
'use strict';
const { syncBuiltinESMExports } = require('node:module');
const { performance } = require('node:perf_hooks');
const timers = require('node:timers/promises');
const threads = require('node:worker_threads');
const { alsoInThreads } = require('./also-in-threads.cjs');

if (threads.isMainThread) threads.setEnvironmentData('clock rate', process.env.CLOCK_RATE);
const rate = Number(threads.getEnvironmentData('clock rate') ?? 1);
const now = performance.now.bind(performance);
const sleep = timers.setTimeout;

performance.now = () => now() * rate;
timers.setTimeout = (ms, ...others) => sleep(ms / rate, ...others);
syncBuiltinESMExports();
alsoInThreads(__filename);
