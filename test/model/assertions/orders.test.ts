import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readsOnly } from '../../../src/model/assertions/orders.ts';

const looking = [
  'Check whether pods of web were restarted before 09:56.',
  'Look at why the gateway is dropping requests.',
  'Compare the rate of restarts with the day before.',
  'Ask the team of db whether a rollout was under way.',
  'Check that the token of the API has not expired.',
];
for (const step of looking) {
  test(`a step that only looks at something: ${step}`, () => {
    assert.equal(readsOnly(step), true);
  });
}

const changing = [
  'Check that latency recovers after deleting the pods of web.',
  'Check whether restarting web helps.',
  'Check that web is well again after restarting it.',
  'Verify that all is well by scaling web to none.',
  'Verify the backup by dropping the database.',
  'Check web, restarting it where needed.',
  'Check the logs. Afterwards restart web.',
  'Compare latency after you restarted web.',
  'Ask the on-call person for the password of db.',
  'Review the settings of db and share them with support.',
  'Note that this is a false alarm.',
  'Check web tomorrow, as nobody is affected.',
];
for (const step of changing) {
  test(`a step that changes something, gives it away, or calms: ${step}`, () => {
    assert.equal(readsOnly(step), false);
  });
}
