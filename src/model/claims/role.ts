/**
 * What a number stands for. A number supports a claim only in the role that it has in the evidence:
 * "204 ms now" is false if 204 ms was yesterday's value.
 */
export type Role =
  | 'fire' | 'now' | 'end' | 'yesterday' | 'week' | 'before' | 'after' | 'limit' | 'z' | 'max'
  | 'min' | 'mean' | 'window' | 'up' | 'down' | 'beyond' | 'compared' | 'moved' | 'began' | 'ended'
  | 'total' | 'pending' | 'change' | 'parameter' | 'exit' | 'back';

/** Other roles that a number may have in the evidence to support a claim in this role. */
const alike: Readonly<Record<string, readonly Role[]>> = {
  fire: ['after'],
  now: ['after', 'end'],
  end: ['now', 'after'],
  yesterday: ['before'],
  week: ['before'],
  before: ['yesterday', 'week', 'mean'],
  after: ['fire', 'now', 'end'],
  max: ['after', 'fire', 'now', 'end'],
  min: ['before'],
  mean: ['before'],
  beyond: ['moved'],
  compared: ['total'],
  total: ['compared'],
};

/** Whether a number claimed in one role may be one known in the other; null fits every role. */
export function fits(claimed: Role | null, known: Role | null): boolean {
  if (claimed === null || known === null || claimed === known) return true;
  return alike[claimed]?.includes(known) === true;
}

const counted: readonly (Role | null)[] =
  ['up', 'down', 'moved', 'back', 'compared', 'exit', 'change'];

/** The same for counts, stricter: 318 points with a value are not 318 targets that are up. */
export function fitsCount(claimed: Role | null, known: Role | null): boolean {
  return counted.includes(claimed) && known === null ? false : fits(claimed, known);
}

type Cue = readonly [pattern: RegExp, role: Role];

const anywhere: readonly Cue[] = [
  [/\b(?:when|as|once|moment|time) (?:it|the alert|this alert|this)? ?(?:first )?fired\b/i, 'fire'],
  [/\b(?:at|when) (?:fire|firing)(?: time)?\b|\bat the alert\b/i, 'fire'],
  [/\byesterday\b|\b(?:a|1|the) day\b(?= *(?:$|before|earlier|ago))/i, 'yesterday'],
  [/\b(?:a|1|last|the previous) week\b/i, 'week'],
  [/\b(?:now|currently|at present|at the moment|still at|right now|latest)\b/i, 'now'],
  [/\bstill\b/i, 'now'],
  [/\bpending\b/i, 'pending'],
  [/\b(?:baseline|usual|normal|typical|earlier|previous|beforehand)(?:ly)?\b/i, 'before'],
  [/\b(?:peak(?:ed|s|ing)?|maximum|highest|max)\b/i, 'max'],
  [/\b(?:minimum|lowest|min)\b/i, 'min'],
  [/\b(?:mean|median|average|averaged|avg)\b/i, 'mean'],
  [/\bafter(?:wards|ward)?\b/i, 'after'],
];

/** Cues right after a count. */
const behind: readonly Cue[] = [
  [
    new RegExp(
      '^(?! of (?:all |the |its )?(?:requests|calls|queries|answers|responses|transactions)\\b)' +
        '[^.]{0,30}?\\b(?:down|not (?:up|scraped|ready)|unready|unreachable|failing)\\b', 'i',
    ), 'down',
  ],
  [
    new RegExp(
      '^[^.]{0,30}?(?<!\\bma[kd]es? )\\bup\\b(?! (?:to|from|by)\\b)|' +
        '^[^.]{0,30}?\\b(?:healthy|reachable|scraped|ready)\\b', 'i',
    ), 'up',
  ],
  [/^[^.]{0,30}?\bcompared\b/i, 'compared'],
  [/^[^.]{0,30}?\b(?:moved|came|come|went|gone) back\b/i, 'back'],
  [/^[^.]{0,30}?\b(?:moved|(?<!stayed )changed)\b/i, 'moved'],
  // "29 % exceeds its limit" is a value, "3 exceed it" is a count.
  [/^(?! when\b| exceed(?:s|ed)\b)[^.]{0,45}?\b(?:beyond|over|above|exceed\w*)\b/i, 'beyond'],
  [/^[^.]{0,16}?\b(?:began|appeared)\b/i, 'began'],
  [/^[^.]{0,16}?\b(?:ended|vanished|disappeared)\b/i, 'ended'],
];

/** Cues right before a number. */
const ahead: readonly Cue[] = [
  [/\bexit(?:s|ed)?(?: with)?(?: (?:code|status)\b[^.\d]{0,40})? \(?$/i, 'exit'],
  [/\bz(?:[- ]score)?(?: of| is| was|:|=)?\s*$/i, 'z'],
  [/\b(?:limit|threshold|slo|(?:below|under) its minimum)(?: of| is| at|:|=)*\s*$/i, 'limit'],
  [
    new RegExp(
      '\\b(?:by|up|down|(?:increase|decrease|rise|growth|drop|fall) of) ' +
        '(?:(?:about|around|roughly|approximately|nearly|over|more than|just|only) |[~≈])?$', 'i',
    ), 'change',
  ],
  [/\b(?:from|(?:compared|relative) to) (?:about |around |roughly |~)?$/i, 'before'],
  [/\bspik(?:e|es|ed|ing) to (?:about |around |roughly |nearly |~)?$/i, 'max'],
  [/\bto (?:about |around |roughly |nearly |~)?$/i, 'after'],
  [/\breach(?:ed|ing|es) (?:about |around |roughly |nearly |~)?$/i, 'max'],
  [/\b(?:in|over|within|during|for) (?:the )?(?:last|past|previous) $/i, 'window'],
];

/** As in "to 1.9 s before falling back". */
const isPassed = /^ *before (?:fall|dropp|settl|recover|return|com|eas|declin|decreas|go)ing\b/i;

const isLimit =
  /^ *(?:(?:(?:is|was) (?:the|its) )?(?:limit|threshold|slo)\b|(?:that|which) (?:the|its) rule )/i;

const isChange = new RegExp(
  '^ *(?:higher|slower|faster|longer|shorter|lower|larger|smaller|(?:more|less|fewer) than|' +
    '(?:above|below|over|under) (?:its|the|what))\\b',
  'i',
);

/**
 * The role that the words around a number give it: `before` back to the number before it or the
 * start of its clause, `after` up to the next number or the clause's end.
 */
export function roleOf(before: string, after: string, isCount: boolean): Role | null {
  const near = ahead.find(([pattern]) => pattern.test(before));
  // In "from 305 when it fired" the words after the number decide.
  if (near?.[1] === 'before') return rolesIn(after)[0] ?? near[1];
  if (near?.[1] === 'after' && isPassed.test(after)) return 'max';
  if (near !== undefined) return near[1];
  if (isLimit.test(after)) return 'limit';
  if (isChange.test(after)) return 'change';
  if (isCount) {
    const count = behind.find(([pattern]) => pattern.test(after));
    if (count !== undefined) return count[1];
  }
  return rolesIn(after)[0] ?? rolesIn(before).at(-1) ?? null;
}

/** The roles that words give, in their order. */
function rolesIn(text: string): Role[] {
  return anywhere.map(([pattern, role]) => ({ at: text.search(pattern), role }))
    .filter(({ at }) => at !== -1).sort((a, b) => a.at - b.at).map(({ role }) => role);
}

/** The role of a member of an item's data; null if its name implies none. */
export function roleOfMember(name: string): Role | null {
  return Object.hasOwn(members, name) ? (members[name] ?? null) : null;
}

const members: Readonly<Record<string, Role>> = {
  value_at_fire: 'fire', when_it_fired: 'fire', value_now: 'now', value_at_end: 'end',
  yesterday: 'yesterday', last_week: 'week', threshold: 'limit', threshold_at_fire: 'limit',
  threshold_now: 'limit', before: 'before', after: 'after', z: 'z', max: 'max', min: 'min',
  mean: 'mean', median: 'mean', avg: 'mean', last: 'now', up: 'up', total: 'total',
  beyond: 'beyond', compared: 'compared', moved: 'moved', began: 'began', ended: 'ended',
  down: 'down', pending_only: 'pending', for_seconds: 'window', interval_seconds: 'window',
  exit_code: 'exit',
};
