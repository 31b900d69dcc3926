import assert from 'node:assert/strict';
import { HttpError } from '../../src/http/http-errors.ts';
import { parseFeedbackBody } from '../../src/http/routes/feedback-body.ts';
import { storedFeedback } from '../../src/report/feedback.ts';
import { listCursorText, parseListCursor } from '../../src/report/list-cursor.ts';
import { listQuery, parseListQuery } from '../../src/report/list-filter.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { mutatedJson } from './mutate-json.ts';
import { mutateText } from './mutate-text.ts';
import { orDeclared, type Target } from './target.ts';

const queries = [
  'state=open&severity=critical&namespace=shop&text=disk+full&since=24h',
  'from=2026-11-20T02:00Z&to=2026-11-21T02%3A30%3A15%2B01%3A00', 'since=7d',
  'state=ended&since=90m',
  'after=o.1.1700000000000.aaaa', 'after=e.1700000000000.3.a%2Fb',
  'from=2026-11-20&to=2026-11-21',
  'from=9999-12-31T23:59-23:59', 'from=0000-01-01T00:00%2B23:59',
  'from=2026-11-20T02:00:00.5Z', 'text=%22a%22+-b&namespace=',
];

const parts = [
  '&', '=', 'state=', 'open', 'from=', 'to=', 'since=', 'after=', 'text=', '%2B', 'Z', '-23:59',
  '+23:59', 'o.', 'e.', '.0.', '0000-', '9999-12-31', '1d', '366d', '527040m',
  '%00', '%ud800', '\ud800',
];

/** The query of the list: never throws, and what was understood survives being written and read. */
export const listQueries: Target = {
  name: 'list-query',
  run(chance) {
    const query = mutateText(chance.pick(queries), chance, parts);
    const asked = parseListQuery(query);
    assert.ok(asked.ignored.length <= 8);
    const after = asked.after === null ? null : listCursorText(asked.after);
    if (after !== null) assert.deepEqual(parseListCursor(after), asked.after);
    const again = parseListQuery(listQuery(asked.filter, after));
    assert.deepEqual(again, { ...asked, ignored: [] }, query);
  },
};

const said = [
  { verdict: 'right', cause: 'the disk', note: 'cleaned up\nby hand', noisy: true },
  { verdict: 'wrong', cause: null, note: null, noisy: false }, { verdict: 'partly' },
];

const forms = [
  'verdict=right&cause=the+disk&note=a%0D%0Ab&noisy=on', 'verdict=wrong&noisy=false',
  'verdict=partly',
];

/** Feedback: accepted or refused with 400, and what was accepted can be read back from storage. */
export const feedback: Target = {
  name: 'feedback',
  run(chance) {
    const isForm = chance.oneIn(2);
    const form = Buffer.from(mutateText(chance.pick(forms), chance, ['&', 'verdict=', 'noisy=']));
    const body = isForm
      ? (chance.oneIn(3) ? mutateBytes(form, chance) : form)
      : mutatedJson(chance.pick(said), chance, 4);
    const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
    const read = orDeclared(() => parseFeedbackBody(body, type), (error) =>
      error instanceof HttpError && error.status === 400);
    if (read === null) return;
    const at = '2026-11-20T10:00:00.000Z';
    const stored: unknown = JSON.parse(JSON.stringify({ at, ...read.value }));
    assert.deepEqual(storedFeedback(stored, 'feedback'), { at, ...read.value });
  },
};
