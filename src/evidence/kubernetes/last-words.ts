import { shellWord } from '../../lib/shell-word.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import { counted } from '../../report/plain-text.ts';
import { shownText } from '../../report/shown-text.ts';
import { linesMax } from '../../sources/kubernetes/kubernetes.ts';
import type { AddItem } from '../ledger.ts';
import { redactedMessage } from '../logs/redacted-message.ts';
import type { ClusterAnswers } from './cluster-answers.ts';
import type { LastWords } from './kubernetes-facts.ts';
import { tellingLine } from './telling-line.ts';

const shownMax = 10;
const lineMax = 300;

/** Adds the last log lines of a container that ended or is not ready, and finds the failure. */
export function addLastWords(
  add: AddItem,
  { log, named, pod: own, pods }: ClusterAnswers,
  redact: Redactor['redact'],
): LastWords | null {
  if (log === null) return null;
  const { pod, container, isPrevious, lines } = log;
  const shown = redactedLines(lines, redact).slice(-shownMax)
    .map((line) => shownText(line, lineMax));
  const telling = tellingLine(lines);
  const who = `container ${container} of pod ${pod}`;
  const evidence = add({
    kind: 'logs',
    title: shownText(`What ${who} logged last`, 160),
    query: `kubectl logs --namespace=${named.namespace ?? ''} ${shellWord(pod)} ` +
      `--container=${shellWord(container)}${isPrevious ? ' --previous' : ''} --tail=${linesMax}`,
    state: lines.length === 0 ? 'empty' : 'ok',
    summary: lines.length === 0 ? 'No lines: it logged nothing, or its log is gone.'
      : `Last of ${counted(lines.length, 'line')}: ${shown.at(-1) ?? ''}`,
    data: { lines: shown },
  });
  if (lines.length === 0) return null;
  const holder = own ?? pods.items.find((each) => each.name === pod);
  const state = holder?.containers.find((each) => each.name === container);
  return {
    who, container, evidence, isRunning: !isPrevious && state?.ended === null,
    line: telling && shownText(redactedMessage(telling.text, redact), lineMax),
    atMs: telling?.atMs ?? null,
  };
}

/** All lines at once, as a key takes several, and a value may be on the line below its name. */
function redactedLines(lines: readonly { text: string }[], redact: Redactor['redact']): string[] {
  return lines.length === 0 ? [] : redact(lines.map(({ text }) => text).join('\n')).split('\n');
}
