/**
 * Loaded before the service (`node --require`): lets time pass for it as many times as fast as
 * CLOCK_RATE says. At a tenth a deadline holds however busy the machine is; at four times nobody
 * waits a minute for a limit.
 */
'use strict';
const { syncBuiltinESMExports } = require('node:module');
const { performance } = require('node:perf_hooks');
const timers = require('node:timers/promises');
const { workerData } = require('node:worker_threads');

// Threads have no environment; who wants it there hands it over.
const rate = Number(process.env.CLOCK_RATE ?? workerData?.clockRate ?? 1);
const now = performance.now.bind(performance);
const sleep = timers.setTimeout;

performance.now = () => now() * rate;
timers.setTimeout = (ms, ...others) => sleep(ms / rate, ...others);
syncBuiltinESMExports();

exports.clockRate = rate;
