/** For scripts loaded with `node --require`: makes every worker thread load them first, too. */
'use strict';
const { syncBuiltinESMExports } = require('node:module');
const threads = require('node:worker_threads');

exports.alsoInThreads = (file) => {
  threads.Worker = class extends threads.Worker {
    constructor(script, options = {}) {
      const given = options.execArgv ?? process.execArgv;
      super(script, { ...options, execArgv: [...given, '--require', file] });
    }
  };
  syncBuiltinESMExports();
};
