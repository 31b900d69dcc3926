import { alertNameOf } from '../../alert/alert.ts';
import { askedTitle } from '../assertions/whose-words.ts';
import { cutResult, labelsText } from './result-text.ts';
import { createTool, found, type Tool, type ToolContext } from './tool.ts';

const listedMax = 40;

/** The tool that tells what the service knows about other alerts. */
export function caseTools({ report, caseFile }: ToolContext): Tool[] {
  return [createTool({
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
    return found(cutResult(lines.join('\n'), 'The rest is not available.'), {
      kind: 'related', source: 'store', title: `${askedTitle}active alerts`,
      summary: lines.join(' · '), data: { lines },
    });
  })];
}
