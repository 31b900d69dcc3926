/**
 * Loaded before the service (`node --require`): lets time pass for it, in all of its threads, as
 * many times as fast as CLOCK_RATE says. At a tenth a deadline holds however busy the machine is;
 * at four times nobody waits a minute for a limit.
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
