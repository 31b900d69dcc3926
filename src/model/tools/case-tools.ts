import { alertNameOf } from '../../alert/alert.ts';
import { cutResult, labelsText } from './result-text.ts';
import { createTool, found, type Tool, type ToolContext } from './tool.ts';

const listedMax = 40;

/** Feedback from people is among the best evidence there is, though it may be of another cause. */
function earlierEpisodes({ earlier, feedback }: ToolContext['caseFile']): Tool {
  return createTool({
    name: 'earlier_episodes',
    description: 'When this alert fired before, what came of it, and what people said was the ' +
      'cause, also of other alerts of its name.',
    takes: {},
  }, () => {
    const episodes = earlier.slice(0, listedMax);
    const given = feedback.slice(0, listedMax).map(({ startsAt, verdict, cause, note }) =>
      ({ startsAt, verdict, cause, note }));
    const lines = [
      `${episodes.length} earlier episodes, ${given.length} with feedback.`,
      ...episodes.map((each) => `Episode ${Object.values(each).join(' ')}`),
      ...given.map((each) => `Said: ${JSON.stringify(each)}`),
    ];
    return found(cutResult(lines.join('\n'), 'The rest is not available.'), {
      kind: 'history', source: 'store', title: 'earlier episodes',
      state: episodes.length + given.length === 0 ? 'empty' : 'ok',
      summary: lines[0] ?? '', data: { episodes, feedback: given },
    });
  });
}

/** The tools that tell what the service knows about other alerts and earlier episodes. */
export function caseTools({ report, caseFile }: ToolContext): Tool[] {
  return [earlierEpisodes(caseFile), createTool({
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
      kind: 'related', source: 'store', title: 'active alerts',
      summary: lines.join(' · '), data: { lines },
    });
  })];
}
