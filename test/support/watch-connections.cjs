/**
 * Loaded before a program (`node --require`): writes the address of every connection it opens, in
 * any of its threads, as a line into the file that is named in the environment.
 */
'use strict';
const { appendFileSync } = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const net = require('node:net');
const threads = require('node:worker_threads');
const { clockRate } = require('./clock-rate.cjs');

const file = process.env.CONNECTIONS_FILE ?? threads.workerData?.connectionsFile;
const connect = net.Socket.prototype.connect;

net.Socket.prototype.connect = function watched(...given) {
  const [to] = Array.isArray(given[0]) ? given[0] : given;
  const address = typeof to === 'object' ? to.path ?? `${to.host ?? 'localhost'}:${to.port}` : to;
  appendFileSync(file, `${address}\n`);
  return connect.apply(this, given);
};

threads.Worker = class extends threads.Worker {
  constructor(script, options) {
    super(script, {
      ...options,
      workerData: { ...options.workerData, connectionsFile: file, clockRate },
      execArgv: [...process.execArgv, '--require', __filename],
    });
  }
};
syncBuiltinESMExports();
