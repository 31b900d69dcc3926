import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageStyles } from '../../../src/report/pages/page-style.ts';
import { baseStyle } from '../../../src/report/pages/style/base.ts';
import { frameStyle } from '../../../src/report/pages/style/frame.ts';
import { printStyle } from '../../../src/report/pages/style/print.ts';
import { reportStyle } from '../../../src/report/pages/style/report.ts';
import { themes, type Theme } from '../../../src/report/pages/style/tokens.ts';
import { contrastRatio, type Colour } from '../../support/browser/page-contrast.ts';

function contrast(one: string, other: string): number {
  return contrastRatio(colourOf(one), colourOf(other));
}

/** Parses `#rgb` or `#rrggbb`. */
function colourOf(text: string): Colour {
  const digits = text.length === 4 ? text.replace(/[0-9a-f]/g, '$&$&') : text;
  const channel = (at: number): number => Number.parseInt(digits.slice(at, at + 2), 16);
  return [channel(1), channel(3), channel(5), 1];
}

const texts = [
  'text', 'quiet', 'accent', 'critical', 'warning', 'info', 'resolved', 'unknown',
] as const satisfies readonly (keyof Theme)[];

for (const [name, theme] of Object.entries(themes)) {
  test(`every text of the ${name} theme has a contrast of at least 4.5`, () => {
    for (const role of texts) {
      for (const ground of ['page', 'raised'] as const) {
        const found = contrast(theme[role], theme[ground]);
        assert.ok(found >= 4.5, `${role} on ${ground}: ${found.toFixed(2)}`);
      }
    }
    assert.ok(contrast(theme['warning-ink'], theme['warning-fill']) >= 4.5);
  });
}

test('contrasts are computed as WCAG defines them', () => {
  assert.equal(contrast('#fff', '#000000'), 21);
  assert.equal(contrast('#777', '#fff').toFixed(2), '4.48');
});

const pageStyle = Object.values(pageStyles).join('');

test('the style sheet loads nothing and cannot end its element', () => {
  assert.doesNotMatch(pageStyle, /url\(|@import|<|\\/);
});

test('the style sheet uses no colours but those of the tokens', () => {
  const rules = [baseStyle, frameStyle, reportStyle, printStyle].join('');
  assert.doesNotMatch(rules, /#[0-9a-f]{3,6}\b|rgb|hsl|gradient|box-shadow/i);
  const used = new Set([...pageStyle.matchAll(/var\(--([\w-]+)/g)].map(([, name]) => name));
  const declared = new Set([...pageStyle.matchAll(/--([\w-]+):/g)].map(([, name]) => name));
  assert.deepEqual([...used].filter((name) => !declared.has(name)), []);
});
