/** What one step of a trial came to: what works, or what does not and what to do about it. */
export interface Tried {
  readonly isGood: boolean;
  readonly text: string;
  /** What to do; null where it works, or where nobody knows. */
  readonly hint: string | null;
}

export function good(text: string): Tried {
  return { isGood: true, text, hint: null };
}

export function bad(text: string, hint: string | null): Tried {
  return { isGood: false, text, hint };
}

const labelWidth = 9;

/** Steps that are tried one after another, told to somebody at a terminal a line each. */
export class Trial {
  readonly #print: (text: string) => void;
  readonly #failed: Tried[] = [];

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  /** Tells what a step came to; returns whether it works. */
  tell(label: string, tried: Tried): boolean {
    if (!tried.isGood) this.#failed.push(tried);
    this.note(label, `${tried.isGood ? 'ok' : 'FAILED'}: ${tried.text}`);
    return tried.isGood;
  }

  note(label: string, text: string): void {
    this.#print(`${label.padEnd(labelWidth)}${text}\n`);
  }

  /** Tells what is to do, each thing once, or that all is well; returns whether it is. */
  conclude(allIsWell: string): boolean {
    const hints = new Set(this.#failed.map(({ hint }) => hint).filter((hint) => hint !== null));
    for (const hint of hints) this.note('To do', hint);
    if (this.#failed.length === 0) this.#print(`${allIsWell}\n`);
    return this.#failed.length === 0;
  }
}
