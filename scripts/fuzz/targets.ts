import { assertions } from './assertions.ts';
import { clusterAnswers } from './cluster-answers.ts';
import { promql } from './expressions.ts';
import { journalRecords, journals } from './journals.ts';
import { logAnswers } from './log-answers.ts';
import { modelReplies } from './model-replies.ts';
import { notifications, reports } from './notifications.ts';
import { recordings } from './recordings.ts';
import { feedback, listQueries } from './requests.ts';
import { sourceAnswers } from './source-answers.ts';
import type { Target } from './target.ts';

export const allTargets: readonly Target[] = [
  notifications, reports, promql, journals, journalRecords, listQueries, feedback, sourceAnswers,
  logAnswers, clusterAnswers, recordings, modelReplies, assertions,
];
