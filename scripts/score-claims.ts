/**
 * How well the check of a model's claims tells true sentences from false ones: sentences written by
 * hand about recorded evidence of five alerts. Lists those that it judges wrongly.
 *
 *   npx tsx scripts/score-claims.ts [--data test/fixtures/claims]
 */
import { readJudgedSentences } from './claims/judged-sentences.ts';
import { scriptOptions } from './script-options.ts';

const { data } = scriptOptions(import.meta.url, {
  data: { type: 'string', default: 'test/fixtures/claims' },
});
const sentences = readJudgedSentences(data);

for (const alert of new Set(sentences.map((sentence) => sentence.alert))) {
  const ofAlert = sentences.filter((sentence) => sentence.alert === alert);
  print(alert, ofAlert);
  for (const { text, isTrue, problems } of ofAlert.filter(isWrong)) {
    console.log(isTrue ? `  struck, though true: ${text} [${problems.join(' | ')}]`
      : `  believed, though false: ${text}`);
  }
}
print('All', sentences);

type Judged = (typeof sentences)[number];

function isWrong({ isTrue, problems }: Judged): boolean {
  return isTrue !== (problems.length === 0);
}

function print(title: string, judged: readonly Judged[]): void {
  const right = (isTrue: boolean): string => {
    const of = judged.filter((sentence) => sentence.isTrue === isTrue);
    return `${of.filter((sentence) => !isWrong(sentence)).length} of ${of.length}`;
  };
  console.log(`${title}: ${right(true)} true sentences kept, ${right(false)} false ones struck`);
}
