import type { LabelSet } from '../../alert/labels.ts';
import type { Ledger } from '../../evidence/ledger.ts';
import { objectsOf } from '../../evidence/logs/alert-objects.ts';
import { chooseStreams, selectorsOf, type LogStreams } from '../../evidence/logs/log-streams.ts';
import { namespaceOf } from '../../evidence/named-in-labels.ts';
import { number, optional, shortText } from '../../lib/parse.ts';
import { escapeRegex } from '../../lib/promql-string.ts';
import { startOf } from '../../report/new-report.ts';
import { counted } from '../../report/plain-text.ts';
import { shownText } from '../../report/shown-text.ts';
import { isoTime } from '../../report/time-text.ts';
import { createLoki, type Loki } from '../../sources/loki.ts';
import type { LinesAnswer } from '../../sources/loki-answers.ts';
import { quoteText } from '../../sources/promql-text.ts';
import type { TimeSpan } from '../../sources/time-grid.ts';
import { askedTitle } from '../claims/whose-words.ts';
import { objectSchema } from '../json-schema.ts';
import { isKnown } from './known-names.ts';
import { cutResult } from './result-text.ts';
import { argumentsOf, ToolProblem, type Tool, type ToolContext, type ToolOutcome } from './tool.ts';

const minuteMs = 60_000;
/** Minutes before the alert began: when the model does not say, and at most. */
const minutesBackDefault = 30;
const minutesBackMax = 6 * 60;
const nameMax = 253;
const textMax = 200;
const linesShown = 40;
const lineMax = 180;

/**
 * The tool that reads logs; none without Loki. The model names a component and a text, and code
 * builds the query. Only logs of components that the evidence names can be read: whoever steers a
 * model by a log line must not make it read what they cannot read themselves.
 */
export function lokiTools(
  { sources: { loki }, caseFile, now }: ToolContext,
  ledger: Ledger,
): Tool[] {
  if (loki === null) return [];
  return [{
    spec: {
      name: 'log_lines',
      description: 'Log lines, the newest 40, from some minutes before the alert began until now.',
      schema: objectSchema({
        component: {
          type: ['string', 'null'],
          description: "A pod, service or machine that evidence names; null: the alert's own.",
        },
        containing: {
          type: ['string', 'null'],
          description: 'A text that the lines contain, in any case; null is all lines.',
        },
        minutes_before: {
          type: ['number', 'null'], description: 'Minutes before the alert began; null is 30.',
        },
      }),
    },
    async run(given, signal) {
      const field = argumentsOf(given);
      const component = field('component', optional(shortText(nameMax), null));
      if (component !== null && !isKnown(component, caseFile.alert.labels, ledger)) {
        throw new ToolProblem('No evidence names this component.');
      }
      const containing = field('containing', optional(shortText(textMax), null));
      const minutes = field('minutes_before', optional(number, minutesBackDefault));
      const before = Math.min(minutesBackMax, Math.max(0, minutes)) * minuteMs;
      const startMs = Math.min(startOf(caseFile), now);
      const window = { fromMs: Math.max(startMs - before, now - 24 * 60 * minuteMs), toMs: now };
      const source = createLoki(loki, signal);
      const streams = await streamsOf(source, window, { component, labels: caseFile.alert.labels });
      if (streams === null) return notFound(component);
      const query = queryOf(streams, containing);
      return found(await source.lines(query, window), { query, window, owner: streams.owner });
    },
  }];
}

async function streamsOf(
  loki: Loki,
  window: TimeSpan,
  { component, labels }: { readonly component: string | null; readonly labels: LabelSet },
): Promise<LogStreams | null> {
  const sought = component === null ? [labels] : named(component, labels);
  for (const each of sought) {
    const objects = objectsOf(each);
    const answers = await Promise.all(objects.map(async (object) => {
      const { series } = await loki.streams(selectorsOf(object), window);
      return [object, series] as const;
    }));
    const streams = chooseStreams(each, new Map(answers));
    if (streams !== null) return streams;
  }
  return null;
}

/** The component as a pod or workload in the alert's namespace, then as a host. */
function named(component: string, labels: LabelSet): LabelSet[] {
  const namespace = namespaceOf(labels);
  const place = namespace === null ? {} : { namespace };
  return [{ ...place, pod: component, service: component }, { host: component }];
}

function queryOf({ selector }: LogStreams, containing: string | null): string {
  if (containing === null || containing === '') return selector;
  return `${selector} |~ ${quoteText(`(?i)${escapeRegex(containing)}`)}`;
}

function notFound(component: string | null): ToolOutcome {
  const what = component === null ? "the alert's own objects" : shownText(component, 80);
  const text = `There is no log stream of ${what}. That is missing data, not a finding.`;
  return { text, isError: false, evidence: null };
}

function found(
  { lines, isCut }: LinesAnswer,
  { query, window, owner }: {
    readonly query: string; readonly window: TimeSpan; readonly owner: string;
  },
): ToolOutcome {
  const shown = lines.slice(-linesShown).map(({ atMs, text }) =>
    `${isoTime(atMs)} ${shownText(text, lineMax)}`);
  const [first] = lines;
  const count = first === undefined ? `No such line in the log of ${owner}.`
    : `${isCut ? 'At least ' : ''}${counted(lines.length, 'line')} in the log of ${owner}, ` +
      `${isCut ? 'read' : 'the first'} from ${isoTime(first.atMs)} on.`;
  const text = shown.length === 0 ? `${count} An absent line is not health.`
    : cutResult([count, ...shown].join('\n'), 'Ask for a text that fewer lines contain.');
  return {
    text, isError: false,
    evidence: {
      kind: 'logs', source: 'loki', title: `${askedTitle}${query}`, query,
      from: isoTime(window.fromMs), to: isoTime(window.toMs), truncated: isCut,
      state: shown.length === 0 ? 'empty' : 'ok', data: { lines: shown },
      summary: [count, ...shown.slice(-3)].join(' '),
    },
  };
}
