import type { Judged } from '../../src/model/answer/judge-answer.ts';

/** A judged answer for which exactly this evidence supports every claim that cites it. */
export function supportedBy(id: string, over: Partial<Judged> = {}): Judged {
  return {
    text: '', claims: [], isTrusted: true,
    verify: ({ text, evidence }) => {
      return text !== '' && evidence.length > 0 && evidence.every((each) => each === id);
    },
    clean: (text) => text,
    ...over,
  };
}
