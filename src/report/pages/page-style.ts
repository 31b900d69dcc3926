import { chartStyle } from '../charts/chart-style.ts';
import { baseStyle } from './style/base.ts';
import { formStyle } from './style/forms.ts';
import { frameStyle } from './style/frame.ts';
import { listStyle } from './style/list.ts';
import { printStyle } from './style/print.ts';
import { reportStyle } from './style/report.ts';
import { tokenStyle } from './style/tokens.ts';

/**
 * The style sheet, inlined into every page. The security policy contains its hash, so it must be
 * constant.
 */
export const pageStyle: string = [
  tokenStyle,
  baseStyle,
  frameStyle,
  reportStyle,
  chartStyle,
  formStyle,
  listStyle,
  // Last, so that it overrides the others.
  printStyle,
].join('');
