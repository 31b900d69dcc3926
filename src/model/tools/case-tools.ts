import { alertNameOf } from '../../alert/alert.ts';
import type { NewEvidence } from '../../evidence/ledger.ts';
import { createPrometheus } from '../../sources/prometheus.ts';
import type { AskableSource } from '../../sources/source-client.ts';
import { askedTitle } from '../claims/whose-words.ts';
import { textArgument } from './argument.ts';
import { cutResult, labelsText } from './result-text.ts';
import { createTool, found, type Tool, type ToolContext, type ToolOutcome } from './tool.ts';

const listedMax = 40;
const nameMax = 256;

/** Tools that tell what the service and Prometheus' rules know about alerts. */
export function caseTools(context: ToolContext): Tool[] {
  const { prometheus } = context.sources;
  return [...(prometheus === null ? [] : [alertRule(prometheus)]), activeAlerts(context)];
}

function alertRule(prometheus: AskableSource): Tool {
  return createTool({
    name: 'alert_rule',
    description: 'The alerting rules of a name: expression, hold time, labels, annotations.',
    takes: { alertname: textArgument(nameMax, 'The name of the alert.') },
  }, async ({ alertname }, signal) => {
    const rules = await createPrometheus(prometheus, signal).rules(alertname);
    const lines = rules.slice(0, 5).map((rule) => {
      return `${rule.name}: expr ${rule.query}; for ${rule.durationSeconds} s; ` +
        `${rule.alerts.length} active; health ${rule.health}; ` +
        `labels ${labelsText(rule.labels)}; annotations ${labelsText(rule.annotations)}`;
    });
    return told(lines, { title: `the rule ${alertname}`, kind: 'rule', source: 'prometheus' });
  });
}

function activeAlerts({ report, caseFile }: ToolContext): Tool {
  return createTool({
    name: 'active_alerts',
    description: 'Other alerts that are firing and began around the same time, and those that ' +
      'seem to belong to the same incident, with the reason.',
    takes: {},
  }, () => {
    const { openAlerts, sameNameOpen, incident } = caseFile;
    const lines = [
      `Other alerts that began around the same time: ${openAlerts.length}; ` +
        `others of this name that are firing: ${sameNameOpen}.`,
      ...openAlerts.slice(0, listedMax).map(({ labels, startsAt }) =>
        `${alertNameOf(labels)} since ${startsAt} ${labelsText(labels)}`),
      ...report.related.slice(0, listedMax).map(({ name, why, similarity }) =>
        `${name}: ${why} (similarity ${similarity})`),
      ...(incident?.members ?? []).map(({ name, startsAt }) =>
        `In the same incident: ${name} since ${startsAt}`),
    ];
    return told(lines, { title: 'active alerts', kind: 'related', source: 'store' });
  });
}

function told(
  lines: readonly string[],
  { title, kind, source }: Pick<NewEvidence, 'title' | 'kind' | 'source'>,
): ToolOutcome {
  const isEmpty = lines.length === 0;
  const text = isEmpty ? 'Nothing was found. That is missing data, not a finding.'
    : cutResult(lines.join('\n'), 'The rest is not available.');
  return found(text, {
    kind, source, title: `${askedTitle}${title}`,
    summary: isEmpty ? 'Nothing was found.' : lines.join(' · '),
    state: isEmpty ? 'empty' : 'ok', data: { lines },
  });
}
