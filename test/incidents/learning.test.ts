import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import type { Found } from '../../src/incidents/found.ts';
import { Incidents } from '../../src/incidents/incidents.ts';
import { seededRandom } from '../support/random.ts';
import {
  grouping, member, openAll, stormStart, type TestMember,
} from '../support/samples/incident-members.ts';
import { settled } from '../support/settled.ts';

/** A path from one thing to another, and over what. */
function path(own: LabelSet, origin: LabelSet, ...way: LabelSet[]): Found {
  return { own, origin, way, name: origin['job'] ?? '', text: 'is down', since: null };
}

const shop = { job: 'shop' };
const store = { job: 'postgres', instance: '10.0.0.1:9187', service: 'postgres' };
const cache = { job: 'redis', instance: '10.0.0.2:9121', service: 'redis' };

class Lab {
  readonly members: TestMember[];
  incidents: Incidents<TestMember> = new Incidents();
  #sequence: number;

  constructor(...alerts: readonly (readonly [labels: LabelSet, second: number])[]) {
    this.members = alerts.map(([labels, second]) => member(labels, second));
    this.#sequence = alerts.length + 1;
    openAll(this.incidents, this.members);
  }

  /** As the book does: what an earlier report found stays. */
  learn(index: number, told: Found | null, isQuiet = false): this {
    const each = this.members[index] as TestMember;
    const found = told ?? each.conclusion?.found ?? null;
    each.conclusion = found === null ? {} : { found };
    this.incidents.learn(each, { found, isQuiet }, this.#sequence++);
    settled(this.incidents);
    return this;
  }

  open(labels: LabelSet, second: number): this {
    const opened = member(labels, second);
    this.members.push(opened);
    openAll(this.incidents, [opened], this.#sequence++);
    return this;
  }

  restart(): this {
    this.incidents = new Incidents();
    for (const each of [...this.members].reverse()) {
      this.incidents.restore(each, each.endsAt === null ? each : null);
    }
    settled(this.incidents);
    return this;
  }

  get groups(): number[][] {
    return grouping(this.members);
  }
}

const errors = { alertname: 'Errors', job: 'shop' };
const down = { alertname: 'StoreDown', job: 'postgres', instance: '10.0.0.1:9187' };
const full = { alertname: 'CacheFull', job: 'redis', instance: '10.0.0.2:9121' };

test('an alert joins those of what its investigation reached, opened before or after', () => {
  const before = new Lab([errors, 60], [down, 0]);
  assert.deepEqual(before.groups, [[0], [1]]);
  assert.deepEqual(before.learn(0, path(shop, store)).groups, [[0, 1]]);
  const after = new Lab([errors, 0]).learn(0, path(shop, store));
  assert.deepEqual(after.restart().open(down, 60).groups, [[0, 1]]);
  assert.deepEqual(after.open(full, 70).groups, [[0, 1], [2]]);
});

test('alerts that reach one origin are one incident, and so is one of what lies on the way', () => {
  const proxy = { alertname: 'BadGateway', job: 'nginx', instance: 'edge:9113' };
  const lab = new Lab([proxy, 0], [errors, 20], [full, 30])
    .learn(0, path({ job: 'nginx' }, store, shop)).learn(2, path(cache, cache));
  assert.deepEqual(lab.groups, [[0, 1], [2]]);
  const both = new Lab([proxy, 0], [{ alertname: 'Late', job: 'mailer' }, 30])
    .learn(0, path({ job: 'nginx' }, store, shop)).learn(1, path({ job: 'mailer' }, store));
  assert.deepEqual(both.groups, [[0, 1]]);
});

test('alerts of one job that lead to two origins are two incidents', () => {
  const slow = { alertname: 'Slow', job: 'shop', route: '/order' };
  const lab = new Lab([errors, 0], [slow, 30], [down, 40], [full, 50]);
  assert.deepEqual(lab.groups, [[0, 1], [2], [3]]);
  lab.learn(0, path(shop, store));
  assert.deepEqual(lab.groups, [[0, 1, 2], [3]]);
  lab.learn(1, path(shop, cache));
  assert.deepEqual(lab.groups, [[0, 2], [1, 3]]);
  assert.deepEqual(lab.restart().groups, [[0, 2], [1, 3]]);
});

test('noise leaves its incident, with what only it had joined, until it is none', () => {
  const noise = { alertname: 'Rate', job: 'shop', server: '10.0.0.1:9187' };
  const lab = new Lab([errors, 0], [noise, 10], [down, 20]);
  assert.deepEqual(lab.groups, [[0, 1, 2]]);
  const [first] = lab.members;
  const id = first?.incident?.id;
  lab.learn(1, null, true);
  assert.deepEqual(lab.groups, [[0], [1], [2]]);
  assert.equal(first?.incident?.id, id, 'the address of the incident stays that of its first');
  lab.restart().open({ ...noise, alertname: 'Other' }, 30);
  assert.deepEqual(lab.groups, [[0, 2, 3], [1]]);
  assert.deepEqual(lab.learn(1, null).groups, [[0, 1, 2, 3]]);
});

test('what is told to be noise when it opens joins nothing', () => {
  const incidents = new Incidents<TestMember>();
  const members = [member(errors), { ...member({ ...errors, alertname: 'B' }, 9), isQuiet: true }];
  openAll(incidents, members);
  assert.deepEqual(grouping(members), [[0], [1]]);
});

test('noise that has ended leaves its incident as well', () => {
  const lab = new Lab([errors, 0], [{ ...errors, alertname: 'B' }, 9]);
  const ended = lab.members[1] as TestMember;
  ended.endsAt = new Date(Date.parse(ended.startsAt) + 1000).toISOString();
  lab.incidents.close(ended);
  assert.deepEqual(lab.learn(1, null, true).groups, [[0], [1]]);
  assert.equal(lab.incidents.size, 1);
});

test('an alert that ended before it was investigated joins what leads there and is open', () => {
  for (const isRestarted of [false, true]) {
    const lab = new Lab([errors, 0], [down, 60]);
    const ended = lab.members[0] as TestMember;
    ended.endsAt = new Date(Date.parse(ended.startsAt) + 15_000).toISOString();
    lab.incidents.close(ended);
    if (isRestarted) lab.restart();
    assert.deepEqual(lab.learn(0, path(shop, store)).groups, [[0, 1]]);
    assert.equal(lab.incidents.size, 1);
  }
});

test('two troubles of one store, one after the other, are two incidents', () => {
  const at = (second: number): Found =>
    ({ ...path(shop, store), since: new Date(stormStart + second * 1000).toISOString() });
  const late = { alertname: 'Late', job: 'mailer' };
  const lab = new Lab([errors, 0], [late, 180]).learn(0, at(0)).learn(1, at(170));
  assert.deepEqual(lab.groups, [[0], [1]]);
  assert.deepEqual(new Lab([errors, 0], [late, 180]).learn(0, at(0)).learn(1, at(30)).groups,
    [[0, 1]]);
});

test('what works leaves the incident of what fails elsewhere, and not of what fails there', () => {
  const works = (own: LabelSet): Found => ({ ...path(own, own), origin: null, name: '', text: '' });
  const calls = { alertname: 'Calls', job: 'shop', db: 'postgres' };
  const lab = new Lab([calls, 0], [down, 10]);
  assert.deepEqual(lab.groups, [[0, 1]]);
  assert.deepEqual(lab.learn(0, path(shop, cache)).learn(1, works(store)).groups, [[0], [1]]);
  const rule = { alertname: 'FewConnections', db: 'archive' };
  const apart = new Lab([errors, 0], [rule, 10]).learn(0, path(shop, store));
  assert.deepEqual(apart.learn(1, works(store)).groups, [[0], [1]]);
  const same = new Lab([calls, 0], [down, 10]);
  assert.deepEqual(same.learn(0, path(shop, store)).learn(1, works(store)).groups, [[0, 1]]);
});

test('the origin of an incident is the deepest thing, whichever alert reached it first', () => {
  const proxy = { alertname: 'BadGateway', job: 'nginx', server: 'shop' };
  const lab = new Lab([proxy, 0], [errors, 20], [down, 40])
    .learn(0, path({ job: 'nginx' }, shop)).learn(1, path(shop, store));
  assert.deepEqual(lab.groups, [[0, 1, 2]]);
  const ranked = lab.incidents.rankedMembersOf(lab.members[0]?.incident?.id ?? '');
  assert.deepEqual(ranked.origin?.found.origin, store);
  assert.deepEqual(ranked.origin?.reachedBy, [lab.members[1]]);
  lab.learn(2, path(store, store));
  const told = lab.incidents.rankedMembersOf(lab.members[0]?.incident?.id ?? '');
  assert.deepEqual(told.origin?.at, [lab.members[2]]);
  assert.equal(told.likelyOrigin, lab.members[2]);
  assert.equal(told.members[0], lab.members[2]);
});

/** What fails by itself, nothing is known to be behind it, and what fails beside it. */
function alone(own: LabelSet, second: number, ...beside: LabelSet[]): Found {
  const moment = new Date(stormStart + second * 1000).toISOString();
  return { ...path(own, own), since: moment, moment, beside };
}

const pages = { alertname: 'PagesSlow', job: 'pages' };
const geo = { alertname: 'GeoErrors', job: 'geo' };

test('things that began to fail at one moment are one incident, before and after the other', () => {
  const lab = new Lab([pages, 40], [geo, 80]);
  assert.deepEqual(lab.groups, [[0], [1]]);
  lab.learn(0, alone({ job: 'pages' }, 0, { job: 'geo' }));
  assert.deepEqual(lab.groups, [[0, 1]], 'by the moment at which the other fires');
  lab.learn(1, alone({ job: 'geo' }, 10, { job: 'pages' }));
  assert.deepEqual(lab.restart().groups, [[0, 1]]);
  const after = new Lab([pages, 40]).learn(0, alone({ job: 'pages' }, 0, { job: 'geo' }));
  assert.deepEqual(after.open(geo, 80).open({ alertname: 'DiskFull', job: 'node' }, 80).groups,
    [[0, 1], [2]]);
});

test('what fails beside each other is two incidents if each is explained, or at two times', () => {
  const explained = (told: Found): Found => ({ ...told, isExplained: true });
  const [one, other] = [alone({ job: 'pages' }, 0, { job: 'geo' }),
    alone({ job: 'geo' }, 10, { job: 'pages' })];
  const lab = new Lab([pages, 40], [geo, 80]).learn(0, explained(one)).learn(1, explained(other));
  assert.deepEqual(lab.groups, [[0], [1]]);
  assert.deepEqual(new Lab([pages, 40], [geo, 80]).learn(0, explained(one)).learn(1, other).groups,
    [[0, 1]]);
  const later = alone({ job: 'geo' }, 300, { job: 'pages' });
  assert.deepEqual(new Lab([pages, 40], [geo, 400]).learn(0, one).learn(1, later).groups,
    [[0], [1]]);
  const behind = { ...path({ job: 'geo' }, store), beside: [{ job: 'pages' }] };
  assert.deepEqual(new Lab([pages, 40], [geo, 80], [down, 60])
    .learn(0, path({ job: 'pages' }, cache)).learn(1, behind).groups, [[0], [1, 2]]);
});

test('of things that fail beside each other none is the origin', () => {
  const lab = new Lab([pages, 40], [geo, 80])
    .learn(0, alone({ job: 'pages' }, 0, { job: 'geo' })).learn(1, alone({ job: 'geo' }, 10));
  const ranked = lab.incidents.rankedMembersOf(lab.members[0]?.incident?.id ?? '');
  assert.equal(ranked.members.length, 2);
  assert.equal(ranked.origin, null);
});

test('requests that go wrong make an origin where others lead, or most alerts do', () => {
  const one = { ...alone({ job: 'pages' }, 0, { job: 'geo' }), isSymptom: true } as const;
  const lab = new Lab([pages, 40], [geo, 80]).learn(0, one);
  const originOf = (): unknown =>
    lab.incidents.rankedMembersOf(lab.members[0]?.incident?.id ?? '').origin?.found.origin;
  assert.deepEqual([lab.groups, originOf()], [[[0, 1]], undefined]);
  lab.open({ ...pages, alertname: 'PagesFail' }, 50).learn(2, one);
  assert.deepEqual([lab.groups, originOf()], [[[0, 1, 2]], { job: 'pages' }]);
});

test('what is not known to work may belong to what fails elsewhere', () => {
  const unknown: Found = { ...path(cache, cache), origin: null, name: '', text: '',
    isUnknown: true, beside: [{ job: 'shop' }] };
  assert.deepEqual(new Lab([errors, 0], [full, 30]).learn(1, unknown).groups, [[0, 1]]);
});

test('what is found crosses no environments, and joins nothing that began long before', () => {
  const env = { ...down, env: 'test' };
  const lab = new Lab([{ ...errors, env: 'prod' }, 0], [env, 10], [down, -1200]);
  assert.deepEqual(lab.learn(0, path(shop, store)).groups, [[0], [1], [2]]);
});

test('incidents are the same after any restart, whatever was learned', () => {
  for (const seed of [1, 2, 3, 4]) {
    const [plain, interrupted] = [walk(seed, Infinity), walk(seed, 7)];
    assert.deepEqual(interrupted.groups, plain.groups, `seed ${seed}`);
    assert.deepEqual(interrupted.members.map(({ incident }) => incident),
      plain.members.map(({ incident }) => incident));
    assert.ok(plain.groups.some(({ length }) => length > 2));
  }
});

function walk(seed: number, restartEvery: number): Lab {
  const random = seededRandom(seed);
  const pick = (count: number): number => random() % count;
  const things = [shop, store, cache, { job: 'nginx' }, { job: 'mailer', instance: 'm:1' }];
  const thing = (): LabelSet => things[pick(things.length)] ?? shop;
  const lab = new Lab();
  for (let step = 0; step < 150; step += 1) {
    if (pick(2) === 0 || lab.members.length === 0) {
      lab.open({ alertname: `A${step}`, ...thing() }, step * 20);
    } else {
      const found = pick(3) === 0 ? null : path(thing(), thing(), thing());
      lab.learn(pick(lab.members.length), found, pick(6) === 0);
    }
    if (step % restartEvery === 3) lab.restart();
  }
  return lab;
}

test('learning of 4 000 alerts at once is quick, and moves few', () => {
  const incidents = new Incidents<TestMember>();
  const members = Array.from({ length: 4_000 }, (_, index) =>
    member({ alertname: `A${index % 50}`, job: 'shop', instance: `i${index}:1` }, index / 100));
  openAll(incidents, members);
  const from = process.cpuUsage();
  for (const [index, each] of members.entries()) {
    incidents.learn(each, { found: path(shop, store), isQuiet: index % 9 === 0 }, 20_000 + index);
  }
  settled(incidents);
  const { user, system } = process.cpuUsage(from);
  assert.ok((user + system) / 1000 < 2_400, `${(user + system) / 1000} ms`);
});
