import { chartStyle } from '../charts/chart-style.ts';
import { baseStyle } from './style/base.ts';
import { feedbackStyle } from './style/feedback.ts';
import { frameStyle } from './style/frame.ts';
import { listStyle } from './style/list.ts';
import { liveStyle } from './style/live.ts';
import { printStyle } from './style/print.ts';
import { reportStyle } from './style/report.ts';
import { tokenStyle } from './style/tokens.ts';

/**
 * The one style sheet, inlined into every page. Its hash is in the security policy, so nothing is
 * ever put into it at run time.
 */
export const pageStyle: string = [
  tokenStyle,
  baseStyle,
  frameStyle,
  reportStyle,
  chartStyle,
  feedbackStyle,
  listStyle,
  liveStyle,
  // Last, as paper has the last word.
  printStyle,
].join('');
