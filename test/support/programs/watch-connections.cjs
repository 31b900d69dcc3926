/**
 * Loaded before a program (`node --require`): appends the address of every connection that any of
 * its threads opens to the file named by CONNECTIONS_FILE, one per line.
 */
'use strict';
const { appendFileSync } = require('node:fs');
const net = require('node:net');
const threads = require('node:worker_threads');
const { alsoInThreads } = require('./also-in-threads.cjs');
require('./clock-rate.cjs');

if (threads.isMainThread) threads.setEnvironmentData('connections', process.env.CONNECTIONS_FILE);
const file = threads.getEnvironmentData('connections');
const connect = net.Socket.prototype.connect;

net.Socket.prototype.connect = function watched(...given) {
  const [to] = Array.isArray(given[0]) ? given[0] : given;
  const address = typeof to === 'object' ? to.path ?? `${to.host ?? 'localhost'}:${to.port}` : to;
  appendFileSync(file, `${address}\n`);
  return connect.apply(this, given);
};

alsoInThreads(__filename);
