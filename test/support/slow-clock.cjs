/**
 * Loaded before a program (`node --require`), in each of its threads: time passes ten times as
 * slowly for it. What it is to do in seconds it then has done, however busy the machine is.
 */
'use strict';
const { syncBuiltinESMExports } = require('node:module');
const { performance } = require('node:perf_hooks');
const timers = require('node:timers/promises');

const slowness = 10;
const now = performance.now.bind(performance);
const sleep = timers.setTimeout;

performance.now = () => now() / slowness;
timers.setTimeout = (ms, ...others) => sleep(ms * slowness, ...others);
syncBuiltinESMExports();
