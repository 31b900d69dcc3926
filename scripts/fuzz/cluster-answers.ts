import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { investigate } from '../../src/analysis/investigate.ts';
import { isFitForShell } from '../../src/lib/shell-word.ts';
import type { Report } from '../../src/report/report.ts';
import { bySource } from '../../src/sources/asked-source.ts';
import { kubernetesIdentity } from '../../src/sources/kubernetes/kubernetes.ts';
import type { AskableSource } from '../../src/sources/source-client.ts';
import { faultOfError, faultOfStatus, SourceFailure } from '../../src/sources/source-failure.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { anAlert } from '../../test/support/samples/alerts.ts';
import { aCaseFile } from '../../test/support/samples/case-files.ts';
import { answerOf, clusterAt, realCluster } from '../../test/support/sources/fake-kubernetes.ts';
import type { Chance } from './chance.ts';
import { mutateValue } from './mutate-json.ts';
import { mutateText } from './mutate-text.ts';
import type { Target } from './target.ts';

type Labels = Readonly<Record<string, string>>;

const file = join(process.cwd(), 'test/fixtures/cluster/incidents.json');
const incidents = JSON.parse(readFileSync(file, 'utf8')) as readonly { labels: Labels }[];
const cluster = realCluster();
const secret = 'hunter2Secret99';
/** Truncation may split the secret, and its first half must not show either. */
const telling = secret.slice(0, 8);
const named = [` password="${secret}"`, ` postgres://cart:${secret}@db/cart`];

/** The answers of a cluster: the report made of them is bounded, plain and free of secrets. */
export const clusterAnswers: Target = {
  name: 'cluster-answer',
  async run(chance) {
    const labels = Object.fromEntries(Object.entries(chance.pick(incidents).labels)
      .map(([name, value]) => [name, chance.oneIn(20) ? mutateText(value, chance) : value]));
    const startsAt = new Date(clusterAt - 180_000).toISOString();
    const caseFile = aCaseFile({ alert: anAlert({ labels, startsAt }) });
    const errors: unknown[] = [];
    const { report } = await investigate(caseFile, {
      clock: new ManualClock(clusterAt), version: '1.2.3', signal: new AbortController().signal,
      sources: bySource((source) => (source === 'kubernetes' ? sourceOf(chance) : null)),
      onProgress: () => {},
      onBroken: (_source, error) => errors.push(error),
    });
    assert.deepEqual(errors, []);
    const own = report.evidence.filter(({ source }) => source === 'kubernetes');
    assert.ok(own.length > 0);
    const { alert: _alert, ...made } = report;
    assert.ok(!JSON.stringify(made).includes(telling), 'the report contains a secret');
    checkTexts(report);
    for (const { query } of own) if (query !== null) checkCommand(query);
  },
};

function sourceOf(chance: Chance): AskableSource {
  const rarity = 30 + chance.below(1000);
  const fail = (error: unknown): SourceFailure => {
    return new SourceFailure(kubernetesIdentity, faultOfError(error));
  };
  return {
    timeoutMs: 5_000,
    identity: kubernetesIdentity,
    async ask({ path, parameters = [] }, read) {
      const asked = new URLSearchParams(Object.fromEntries(parameters));
      const { status, body } = answerOf(cluster, path, asked);
      const said = mutateValue(body, chance, rarity);
      if (status !== 200 || chance.oneIn(40)) {
        const fault = faultOfStatus(status === 200 ? 403 : status, JSON.stringify(said));
        throw new SourceFailure(kubernetesIdentity, fault);
      }
      const text = typeof said === 'string' ? said.replaceAll('\n', () => `${chance.pick(named)}\n`)
        : JSON.stringify(withSecrets(said, chance));
      try {
        return read(Buffer.from(text ?? ''));
      } catch (error) {
        throw fail(error);
      }
    },
  };
}

/** Adds secrets to messages and values, before, after or across the place of truncation. */
function withSecrets(value: unknown, chance: Chance): unknown {
  if (Array.isArray(value)) return value.map((each) => withSecrets(each, chance));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => {
    if (typeof member !== 'string') return [name, withSecrets(member, chance)];
    if (name === 'message') {
      return [name, member + '. '.repeat(chance.below(150)) + chance.pick(named)];
    }
    return [name, name === 'value' ? secret : member];
  }));
}

/** No sentence contains control characters, line breaks or characters that change direction. */
function checkTexts({ findings, verdict, hypotheses, unknowns, evidence, timeline }: Report): void {
  const { most_likely: likely, headline } = verdict;
  const texts = [
    headline, likely ?? '', ...findings.map(({ text }) => text),
    ...hypotheses.flatMap(({ cause, for: speaks }) => [cause, ...speaks.map(({ text }) => text)]),
    ...unknowns.flatMap(({ what, why, how_to_get: how }) => [what, why, how]),
    ...evidence.flatMap(({ title, summary }) => [title, summary]),
    ...timeline.map(({ text }) => text),
  ];
  for (const text of texts) {
    assert.doesNotMatch(text, /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069\u2028\u2029]/u);
    assert.ok(text.length <= 600, text);
  }
}

const commandForm = new RegExp(
  '^kubectl (?:get (?:pods|events)|logs|rollout history) --namespace=[a-z0-9.-]+' +
    "(?: (?:[a-z]+/)?''| --(?:selector|container)=''| --previous| --tail=100|" +
    ' --field-selector=(?:type!=Normal|involvedObject.name=[a-z0-9.-]+))*$',
);

/** Whatever objects are called, a command is one kubectl call with quoted arguments. */
function checkCommand(command: string): void {
  assert.ok(isFitForShell(command), JSON.stringify(command));
  const outside = command.replaceAll("'\\''", '').replace(/'[^']*'/g, "''");
  assert.match(outside, commandForm);
}
