import assert from 'node:assert/strict';
import { parseTime } from '../../src/alert/timestamp.ts';
import type { ImpactExtent } from '../../src/report/impact-extent.ts';
import { causeKinds, type CauseFacts } from '../../src/report/kinds.ts';
import type { Beside, HopFault, HopHealth, Path, PathHop } from '../../src/report/path.ts';
import type {
  AbsentNarrative, Change, Claim, ReportedEpisode, EvidenceItem, Feedback, History,
  Hypothesis, Impact,
  NextStep, Progress, Provenance, AskedQuestion, Reality, Reason, RelatedAlert, Report, Resolution,
  RuledOut, Statement, TimelineEntry, Unknown, Verdict, WrittenNarrative,
} from '../../src/report/report.ts';
import type { Link, ReportedAlert } from '../../src/report/reported-alert.ts';
import type { ReportedIncident } from '../../src/report/reported-incident.ts';

/** Throws unless the value fits; `path` tells where in the report it is. */
type Check = (value: unknown, path: string) => void;

function is(expected: string, fits: (value: unknown) => boolean): Check {
  return (value, path) => {
    assert.ok(fits(value), `${path}: expected ${expected}, got ${JSON.stringify(value)}`);
  };
}

const text: Check = is('a string', (value) => typeof value === 'string');
const sentence = words(2000);
const command = words(4000);
const finite: Check = is('a finite number', (value) => Number.isFinite(value));
const whole: Check = is('a whole number', (value) => Number.isInteger(value) && Number(value) >= 0);
const flag: Check = is('true or false', (value) => typeof value === 'boolean');
const time: Check = is('an RFC 3339 time', (value) => {
  return typeof value === 'string' && parseTime(value) !== null;
});
const web: Check = is('an http address', (value) => {
  return typeof value === 'string' && /^https?:\/\//u.test(value) && URL.canParse(value);
});
const anything: Check = is('a value', (value) => value !== undefined);

function words(most: number): Check {
  return is(`a string that is not blank, of at most ${most} characters`, (value) =>
    typeof value === 'string' && value.trim() !== '' && value.length <= most);
}

function oneOf(...allowed: readonly unknown[]): Check {
  return is(`one of ${allowed.join(', ')}`, (value) => allowed.includes(value));
}

function orNull(check: Check): Check {
  return (value, path) => {
    if (value !== null) check(value, path);
  };
}

function list(item: Check, most = 1000): Check {
  return (value, path) => {
    assert.ok(Array.isArray(value), `${path}: expected a list`);
    assert.ok(value.length <= most, `${path}: ${value.length} items, at most ${most}`);
    value.forEach((element: unknown, index) => item(element, `${path}[${index}]`));
  };
}

/**
 * An object with exactly these members, among them those that only older reports may lack; a model
 * adds those named by `ofModel`.
 */
function shape<T>(
  members: { readonly [Name in keyof T]-?: Check },
  optional: readonly (keyof T & string)[] = [],
): Check {
  return (value, path) => {
    assert.ok(typeof value === 'object' && value !== null, `${path}: expected an object`);
    const has = (name: string): boolean => Object.hasOwn(value, name);
    const expected = Object.keys(members)
      .filter((name) => has(name) || !optional.some((each) => each === name));
    assert.deepEqual(Object.keys(value).sort(), expected.sort(), `${path}: members`);
    for (const [name, check] of Object.entries<Check>(members)) {
      if (!expected.includes(name)) continue;
      check((value as Record<string, unknown>)[name], `${path}.${name}`);
    }
  };
}

const labels: Check = (value, path) => {
  assert.ok(typeof value === 'object' && value !== null, `${path}: expected labels`);
  for (const [name, member] of Object.entries(value)) text(member, `${path}.${name}`);
};
const ids: Check = list(is('an evidence id', (value) => /^E[1-9]\d*$/u.test(String(value))));
const classification = oneOf(
  'actionable', 'informational', 'noisy', 'recovered', 'data_problem', 'inconclusive',
);
const certainty = oneOf('confirmed', 'likely', 'possible', 'inconclusive');
const sourceState = oneOf('ok', 'empty', 'failed', 'not_configured');
const statement = shape<Statement>({ text: sentence, evidence: ids });
const stringList: Check = list(text);

const episode = shape<ReportedEpisode>({
  number: whole, of: whole, starts_at: time, ends_at: orNull(time), end_unknown: flag,
  suppressed: orNull(oneOf('silenced', 'inhibited', 'muted')),
  state: oneOf('firing', 'resolved'), notifications: whole,
});
const alert = shape<ReportedAlert>({
  name: text, severity: orNull(text), namespace: orNull(text), labels, annotations: labels,
  startsAt: orNull(time), endsAt: orNull(time), generatorURL: text, receiver: text,
  group_key: text, group: shape<ReportedAlert['group']>({ listed: whole, truncated: whole }),
  links: list(shape<Link>({
    kind: oneOf(
      'runbook', 'playbook', 'dashboard', 'panel', 'logs', 'traces', 'link', 'prometheus', 'source',
      'alertmanager', 'silence',
    ),
    title: sentence, url: web,
  })),
});
const verdict = shape<Verdict>({
  classification, headline: sentence, gist: text, most_likely: orNull(sentence), certainty,
  reasons: list(shape<Reason>({
    text: sentence, effect: oneOf('raises', 'lowers'), evidence: ids, by: oneOf('model'),
  }, ['by'])),
  do_first: orNull(sentence), first_step: text, subject: text, is_quoted: oneOf(true),
  place: text,
}, ['first_step', 'subject', 'is_quoted', 'place']);
const reality = shape<Reality>({
  value_at_fire: orNull(finite), value_now: orNull(finite), threshold: orNull(finite),
  operator: oneOf('>', '>=', '<', '<=', '==', '!=', null), unit: orNull(sentence),
  yesterday: orNull(finite), last_week: orNull(finite), flaps: orNull(whole),
  scrape_ok: orNull(flag), evidence: ids,
  threshold_series: orNull(shape<NonNullable<Reality['threshold_series']>>({
    expression: sentence, at_fire: orNull(finite), now: orNull(finite),
  })),
});
const impact = shape<Impact>({
  scope: oneOf('single', 'few', 'many', 'broad', null), firing_same: orNull(whole),
  targets_up: orNull(whole), targets_total: orNull(whole), affected: stringList, evidence: ids,
  extent: shape<ImpactExtent>({
    kind: oneOf('share', 'used', 'waiting', 'left'), part: finite, of: orNull(finite),
    is_rate: flag, unit: orNull(text), what: orNull(text), pace: orNull(finite),
    ends_at: orNull(time), as_of: oneOf('now', 'fire'),
  }),
  leads_to: shape<NonNullable<Impact['leads_to']>>({ text: sentence, is_usual: flag }),
}, ['extent', 'leads_to']);
const change = shape<Change>({
  rank: whole,
  kind: oneOf('series', 'appeared', 'vanished', 'restart', 'version', 'config', 'event'),
  title: sentence, verb: text, labels,
  component: orNull(shape<NonNullable<Change['component']>>({ label: text, value: text })),
  before: orNull(finite), after: orNull(finite), unit: orNull(text), z: orNull(finite),
  strength: oneOf('weak', 'notable', 'strong'), onset_seconds: orNull(finite),
  effect: orNull(finite), agreement: orNull(finite), evidence: ids,
});
const causeFacts: { readonly [Name in keyof CauseFacts]-?: Check } = {
  detail: sentence, kind: oneOf(...causeKinds), about: stringList, family_cause: text, alert: text,
};
const hypothesis = shape<Hypothesis>({
  ...causeFacts,
  cause: sentence, mechanism: orNull(sentence), for: list(statement), against: list(statement),
  test: orNull(command), certainty, proposed_by: oneOf('model'),
}, ['detail', 'proposed_by', 'kind', 'about', 'family_cause', 'alert']);
const step = shape<NextStep>({
  kind: text, id: text, reads_only: oneOf(true),
  action: sentence, why: orNull(sentence), command: orNull(command), expected: orNull(sentence),
  risk: orNull(sentence), undo: orNull(sentence),
}, ['reads_only']);
const entry = shape<TimelineEntry>({
  at: time, offset_seconds: finite,
  kind: oneOf('started', 'received', 'resolved', 'change', 'related', 'episode', 'note'),
  change: whole, text: sentence, evidence: ids,
}, ['change']);
const item = shape<EvidenceItem>({
  id: is('an id', (value) => /^E[1-9]\d*$/u.test(String(value))),
  kind: oneOf(
    'alert', 'rule', 'group', 'history', 'related', 'series', 'events', 'logs', 'source',
  ),
  role: oneOf('in_alertmanager', 'sent_values', 'found_before', 'asked_by_model', 'query_of_model'),
  source: sentence, title: sentence, query: orNull(text), from: orNull(time), to: orNull(time),
  step_seconds: orNull(finite), summary: sentence, data: anything, link: orNull(web),
  fetched_at: orNull(time), truncated: flag, warnings: list(sentence, 10), redactions: whole,
  state: sourceState, error: orNull(text),
}, ['role']);
const related = shape<RelatedAlert>({
  fingerprint: text, name: sentence, why: sentence,
  similarity: is('0 to 1', (value) => Number(value) >= 0 && Number(value) <= 1), report_url: web,
});
const history = shape<History>({
  episodes: list(shape<History['episodes'][number]>({
    number: whole, starts_at: time, ends_at: orNull(time), classification: orNull(classification),
    report_url: web,
  })),
  last_24h: whole, last_7d: whole, last_30d: whole, median_duration_seconds: orNull(finite),
  self_resolved_share: orNull(finite), flapping: flag, rhythm: orNull(sentence),
  last_said: orNull(shape<NonNullable<History['last_said']>>({
    number: whole, starts_at: time, ends_at: orNull(time), cause: orNull(text), note: orNull(text),
    report_url: web,
  })),
});
const narrative: Check = (value, path) => {
  const isAbsent = (value as { state: unknown }).state === 'absent';
  const reasons = oneOf(
    'not_configured', 'budget', 'storm', 'breaker', 'failed', 'pending', 'severity',
  );
  const absent = shape<AbsentNarrative>({
    state: oneOf('absent'), reason: reasons, detail: sentence,
  });
  const present = shape<WrittenNarrative>({
    state: oneOf('present'), text: is('a string', (each) => typeof each === 'string'),
    claims: list(shape<Claim>({
      text: sentence, evidence: ids, verified: flag, reading: orNull(sentence),
    })),
    asserted: shape<NonNullable<WrittenNarrative['asserted']>>({
      made: whole, held_at_first: whole, held: whole,
    }),
    culprits: list(shape<NonNullable<WrittenNarrative['culprits']>[number]>({
      component: text, since: orNull(time),
    })),
    missing: list(sentence),
    suspicious_content: flag, model: text, tokens: whole, cost: orNull(finite),
    duration_ms: finite, written_at: time,
  });
  (isAbsent ? absent : present)(value, path);
};
const question = shape<AskedQuestion>({
  asked_at: time, question: sentence, state: oneOf('pending', 'answered', 'failed'),
  text: is('a string', (value) => typeof value === 'string'),
  claims: list(shape<Claim>({
    text: sentence, evidence: ids, verified: flag, reading: orNull(sentence),
  })),
  missing: list(sentence), detail: orNull(sentence),
});
const resolution = shape<Resolution>({
  ended_at: time, duration_seconds: is('not negative', (value) => Number(value) >= 0),
  value_at_end: orNull(finite), changes: list(statement), hypothesis_held: orNull(flag),
});
const feedback = shape<Feedback>({
  at: time, verdict: oneOf('right', 'partly', 'wrong'), cause: orNull(text), note: orNull(text),
  noisy: flag,
});
const provenance = shape<Provenance>({
  version: sentence, family: orNull(text),
  sources: list(shape<Provenance['sources'][number]>({
    name: sentence, state: sourceState, duration_ms: finite, queries: whole,
  })),
  checks: list(shape<Provenance['checks'][number]>({
    name: sentence, state: oneOf('done', 'skipped', 'failed'), why: orNull(sentence),
  })),
  redactions: whole, attempts: whole, started_at: orNull(time), finished_at: orNull(time),
  recording_url: orNull(text), looks_again_at: orNull(time),
});

const fault = shape<HopFault>({
  kind: oneOf(
    'down', 'fails', 'slow', 'unreachable', 'full', 'limit_lowered', 'locked', 'alarm',
    'no_consumer', 'link_down', 'no_server', 'waiting', 'holds', 'repeats', 'busy',
    'throttled', 'uses',
  ),
  seen_by: oneOf('itself', 'client', 'probe'), what: orNull(text), metric: text, labels,
  value: orNull(finite), before: orNull(finite), limit: orNull(finite), since: orNull(time),
  until: orNull(time), rate: orNull(finite), rate_before: orNull(finite),
}, ['rate', 'rate_before']);
const hop = shape<PathHop>({
  component: sentence, labels,
  relation: orNull(oneOf(
    'called', 'shared', 'server', 'probed', 'measured', 'primary', 'consumer', 'producer',
    'process', 'holder', 'host', 'beside')),
  state: oneOf('failing', 'innocent', 'unknown'), faults: list(fault, 8),
  works: orNull(shape<HopHealth>({
    targets: orNull(shape<NonNullable<HopHealth['targets']>>({ up: whole, total: whole })),
    answers_probe: orNull(flag), successes: orNull(finite), is_reached: orNull(flag),
  }, ['is_reached'])),
  since: orNull(time), evidence: ids, one_of: orNull(whole),
}, ['one_of']);

const report = shape<Report>({
  schema: oneOf(1), fingerprint: text, report_url: web,
  status: oneOf('queued', 'analysing', 'ready', 'final', 'failed'), updated_at: time,
  progress: orNull(shape<Progress>({ step: sentence, done: whole, of: whole })),
  episode, alert, verdict, reality, impact, changes: list(change, 30), findings: list(statement),
  hypotheses: list(hypothesis), ruled_out: list(shape<RuledOut>({
    family_cause: text, cause: sentence, why: sentence, evidence: ids,
  })),
  next_steps: list(step, 5), timeline: list(entry), evidence: list(item, 64),
  related: list(related),
  incident: orNull(shape<ReportedIncident>({
    id: text, url: web, members: stringList, likely_origin: orNull(text),
    origin: orNull(shape<NonNullable<ReportedIncident['origin']>>({
      name: text, text, is_reached: flag, alert: orNull(text), report_url: orNull(web),
    })),
  })),
  path: orNull(shape<Path>({
    hops: list(hop, 8), origin: orNull(whole),
    beside: list(shape<Beside>({
      component: sentence, labels, faults: list(fault, 2), since: time, evidence: ids,
    }), 8),
  }, ['beside'])),
  history,
  unknowns: list(shape<Unknown>({
    source: text, is_awaited: oneOf(true), what: sentence, why: sentence, how_to_get: sentence,
  }, ['source', 'is_awaited'])),
  narrative, questions: list(question, 10), resolution: orNull(resolution),
  feedback: list(feedback), provenance,
});

/**
 * Asserts that a value has exactly the members of a report, each of the right type, that it
 * survives JSON, and that everything it cites is in its evidence.
 */
export function assertCompleteReport(value: unknown): void {
  report(value, 'report');
  const json = JSON.stringify(value);
  assert.deepEqual(JSON.parse(json), value, 'the report is plain JSON');
  const { evidence } = value as { evidence: { id: string }[] };
  evidence.forEach(({ id }, index) => assert.equal(id, `E${index + 1}`));
  const known = new Set(evidence.map(({ id }) => id));
  for (const id of citedIn(value)) assert.ok(known.has(id), `${id} is cited but not in evidence`);
}

/** The ids in all `evidence` members at any depth. That of the report holds objects, not ids. */
function citedIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (name === 'data') return [];
    const own = name === 'evidence' && Array.isArray(member) ? (member as unknown[]) : [];
    return [...own.filter((id) => typeof id === 'string'), ...citedIn(member)];
  });
}
