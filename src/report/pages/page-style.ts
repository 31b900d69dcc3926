import { chartStyle } from '../charts/chart-style.ts';
import { baseStyle } from './style/base.ts';
import { formStyle } from './style/forms.ts';
import { frameStyle } from './style/frame.ts';
import { listStyle } from './style/list.ts';
import { printStyle } from './style/print.ts';
import { reportStyle } from './style/report.ts';
import { tokenStyle } from './style/tokens.ts';

/**
 * The style sheets, one of which is inlined into every page. The security policy contains their
 * hashes, so they must be constant. That of a report, the largest page, does without the list.
 */
export const pageStyles: Readonly<Record<'report' | 'other', string>> = {
  report: [tokenStyle, baseStyle, frameStyle, reportStyle, chartStyle, formStyle].join('') +
    // Last, so that it overrides the others.
    printStyle,
  other: [
    tokenStyle, baseStyle, frameStyle, reportStyle, chartStyle, formStyle, listStyle, printStyle,
  ].join(''),
};
