import type { EvidenceItem } from '../../report/report.ts';
import { kindsOfStrangers, namesOf, ownTextOf, withoutOwnWords } from './whose-words.ts';

/**
 * Words that need no evidence: they link, compare, count and date what is in it. Not among them is
 * any word for a thing, a deed, a fault or a judgement: "deploy", "leak" and "harmless" may be said
 * only of evidence that says so.
 */
const describing = {
  linking: `
    an the this that these those there here it its itself they them their we us our what which
    who whose where how why and or nor but as if than then so also too only even just both each
    every either neither any all some none other another same such rather instead
  `,
  being: `
    is are was were be been being am has have had do does did will would not no without
  `,
  placing: `
    of in on at to by from with for into onto off out over under above below beyond within
    between among across along against around about near beside behind ahead next through up down
    upon via per like unlike toward despite because due owing although though while whereas however
    therefore thus hence together respectively
  `,
  dating: `
    now currently present today yesterday earlier early late later latest last first ago before
    after afterwards since until till during when once again already yet still soon shortly
    previous prior recent recently former formerly meanwhile ever always often sometimes twice
    day week hour minute second moment time period window night morning utc began begin begun
    start end continue remain stay keep kept hold held persist take took place precede follow
    coincide
  `,
  moving: `
    rise rose risen increase grow grew grown growth climb jump spike surge soar double triple
    quadruple fall fell fallen drop dropped decrease decline sink sank shrink shrank plunge
    plummet halve lower higher high low more less most least fewer many much few little large
    larger largest small smaller smallest big bigger great greater greatest long longer short
    shorter slow slower fast faster quick peak maximum minimum mean median average total sum usual
    typical baseline flat stable steady constant unchanged change move movement go goes went gone
    come came return reach exceed exceeding differ different deviate deviation vary fluctuate
    recover improve ease degrade worsen worse sudden suddenly sharp sharply steep slight slightly
    strong strongly clear clearly considerable notable noticeable significant substantial marked
    gradual steadily far well slowdown pile accumulate stop cease altogether entirely completely
    oldest newest empty
  `,
  measuring: `
    roughly approximately nearly almost exactly several single pair half third quarter fraction
    part percent point share ratio rate factor multiple fold number count amount value level
    figure measure measurement sample series data metric quantile score rank top bottom limit
    threshold slo rule query queries range size speed pace peer unit compared comparison
    relative equal equally versus
  `,
  reasoning: `
    alert fire evidence observation hypothesis explanation cause reason root possible likely
    unlikely probable plausible consistent suggest indicate known unknown unclear uncertain see
    seen visible show say said read report tell told carry carries call name label log line write
    wrote written list speak appear disappear vanish find found answer ask affect contribute
    correlate reflect evaluate meet met alone directly mainly mostly largely simply actual
    actually own use used using usage utilisation utilization consumption consume whole new check
    chance worst best support flap stream request component notably can cannot may might could
    severity one past back stand leave open rest quiet counter gauge match corresponding whether
    logged become became relate trigger trend signal pattern behave behaviour unusual abnormal
    elevated extreme essential overall confine involve locate mount run running lead led result
    drive driven onset immediate brief temporary transient overlap simultaneous concurrent similar
    identical anywhere strongest detect record occur happen exhibit situation state status
    condition item set group kind case effect kubernetes prometheus alertmanager loki evident
    otherwise remarkable weaker highest lowest accompany experience namely specific general
    particular apparent closest unrelated alike
  `,
};

const describingStems: ReadonlySet<string> = stemsIn(Object.values(describing).join(' '));

/** Words for the same thing: where the evidence has one of a line, the others may be said. */
const synonyms: readonly ReadonlySet<string>[] = `
  available avail free left remaining space disk filesystem full used headroom
  requests call calls http traffic throughput response
  error errors failed failing failure availability reliability
  latency delay duration response seconds
  memory heap resident
  cpu processor cores
  queue jobs waiting pending backlog
  release released deploy rollout revision generation version image upgrade update
  pod pods container
  restart restarted restarting restarts
  app application service component
  host machine node instance
  db database
  postgres postgresql
  calls dependency upstream downstream
  fds file descriptor
  gc garbage collection
  aof append
  rsts reset resets
  out sent
  ready unready
  unacked unacknowledged
  ends ended resolved
`.trim().split('\n').map((line) => stemsIn(line));

/** Judgements, which evidence worded by outsiders does not support. */
const judging: ReadonlySet<string> = stemsIn(`
  acceptable action actionable alarm benign calm clean close concern correct design dismiss
  disregard escalate expect false fine good harmless healthy ignore impact intend issue
  maintenance minor need noise nobody normal normally nothing ok okay panic planned problem safe
  safely schedule serious silence test trivial urgent wait wake work worry wrong
`);

/** Faults, what people do to systems, and who notices. Like judgements, each must be evident. */
const loaded: ReadonlySet<string> = stemsIn(`
  abort attack bad block break broke broken bug certificate collision config configuration corrupt
  crash customer ddos deadlock defect delete deploy deployment dns dozens evict exhaust expire
  fail fault firewall fix flood garbage hack hang hundreds hung install kill leak lock lose lost
  maintenance migrate millions misconfigured mistake network never oom outage overload partition
  patch reboot refuse reject release resolve restart revert roll rollback rollout saturated scale
  sleep somebody stuck team thousands throttle timeout update upgrade user version
`);

/**
 * Of the problem may be said where and since when it is; that there is none is a judgement. What
 * happened for the first time had "never before".
 */
const placed = new RegExp(
  '(?<!\\b(?:no|not|never|without) )\\bthe problem ' +
    '(?=(?:began|begins|started|(?:is|was) (?:unrelated|(?:likely |probably )?in|with|' +
    '(?:not )?(?:limited|confined) to))\\b)|\\bnever(?= (?:\\w+ ){0,3}before\\b)',
  'giu',
);

/** Behind a word for what is measured, which the evidence must have. */
const moving = new RegExp(
  '^ (?:\\w+ )?(?:(?:r[io]se|risen|fell|fallen|grew|grown|jumped|climbed|dropped|' +
    '(?:in|de)creased|surged|spiked)\\b|' +
    // "Is" and a number, of which here only a gap is left.
    '(?:is|are|was|were)(?: (?:now|still|already|only|just|at|up|down|high|higher|low|lower|' +
    'elevated|about|around|roughly|nearly|almost|over|under))*' +
    '(?: {2}| *[,.;]| *$)|' +
    // Who did or suffered something.
    '(?:was|were|had|did)\\b)',
);

/** So many other words may be new beside a number or a time, as no list of words is complete. */
const newMax = 1;

/**
 * The words of a text that should be in the evidence and are not: names, loaded words and
 * judgements, or all new words if there are more than a few. What outsiders wrote is known only
 * where it is cited beside a number or a time; otherwise just the names in it.
 */
export function unknownWords(
  text: string,
  { items, alert, isMeasured, elsewhere }: {
    readonly items: readonly EvidenceItem[];
    readonly alert: readonly EvidenceItem[];
    readonly isMeasured: boolean;
    /** Names in lower case that are in the evidence, whether cited or not. */
    readonly elsewhere: ReadonlySet<string>;
  },
): string[] {
  const known = [
    ...items.map((item) => stemsOf(item, isMeasured)), ...alert.map((item) => stemsOf(item, false)),
  ];
  const judged = text.replace(placed, (words) => ' '.repeat(words.length));
  const unknown = [...judged.matchAll(/\p{L}+(?:[-’']\p{L}+)*/gu)]
    .filter(([word]) => !word.split(/[-’']/).map(stemOf).every((stem) => {
      return stem.length < 2 || describingStems.has(stem) || known.some((of) => of.has(stem));
    }));
  const strict = unknown.filter(({ 0: word, index }) => {
    const isInside = /[\p{L}\p{N},]\s+$/u.test(text.slice(0, index));
    const isName = word.includes('-') || isInside && /^\p{Lu}/u.test(word);
    return isName || moving.test(text.slice(index + word.length)) ||
      elsewhere.has(word.toLowerCase()) || loaded.has(stemOf(word)) || judging.has(stemOf(word));
  });
  return (isMeasured && unknown.length <= newMax ? strict : unknown).map(([word]) => word);
}

/** Whether a text and the items have a word in common, other than short ones that only link. */
export function shareWord(text: string, items: readonly EvidenceItem[]): boolean {
  const said = [...stemsIn(text)].filter((stem) => stem.length > 3 || !describingStems.has(stem));
  return items.map((item) => stemsOf(item, false))
    .some((stems) => said.some((stem) => stems.has(stem)));
}

const textMax = 100_000;
const cached = [new WeakMap<EvidenceItem, Set<string>>(), new WeakMap<EvidenceItem, Set<string>>()];

function stemsOf(item: EvidenceItem, isMeasured: boolean): ReadonlySet<string> {
  const cache = cached[Number(isMeasured)];
  const known = cache?.get(item);
  if (known !== undefined) return known;
  const own = stemsIn(ownTextOf(item).slice(0, textMax));
  const shown = withoutOwnWords(item);
  const { kind, summary, data } = shown;
  const isReduced = kindsOfStrangers.has(kind) && !isMeasured;
  const told = isReduced ? '' : `${summary} ${JSON.stringify(data)}`;
  const others = stemsIn(`${namesOf(shown)} ${told}`.slice(0, textMax));
  for (const stem of others) if (!judging.has(stem)) own.add(stem);
  for (const group of synonyms) {
    if ([...group].some((stem) => own.has(stem))) for (const stem of group) own.add(stem);
  }
  cache?.set(item, own);
  return own;
}

/** The words of a text by their stems; `HTTPServerError` is three. */
function stemsIn(text: string): Set<string> {
  const apart = text.replace(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ');
  return new Set([...apart.matchAll(/\p{L}+/gu)].map(([word]) => stemOf(word)));
}

/** Inflections of a word mostly have the same stem. */
function stemOf(word: string): string {
  return word.toLowerCase().replace(/(?<=\p{L}{3})(?:ing|ed|es|e|s)$/u, '').slice(0, 7);
}
