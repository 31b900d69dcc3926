/** The outcome of one step of a trial: what works, or what does not and how to fix it. */
export interface StepOutcome {
  readonly isGood: boolean;
  readonly text: string;
  /** What to do; null if it works, or if there is no advice. */
  readonly hint: string | null;
}

export function good(text: string): StepOutcome {
  return { isGood: true, text, hint: null };
}

export function bad(text: string, hint: string | null): StepOutcome {
  return { isGood: false, text, hint };
}

const labelWidth = 9;

/** Prints the outcome of one step after another to a terminal, one line each. */
export class StepPrinter {
  readonly #print: (text: string) => void;
  readonly #failed: StepOutcome[] = [];

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  /** Prints the outcome of a step; returns whether it was good. */
  print(label: string, tried: StepOutcome): boolean {
    if (!tried.isGood) this.#failed.push(tried);
    this.note(label, `${tried.isGood ? 'ok' : 'FAILED'}: ${tried.text}`);
    return tried.isGood;
  }

  note(label: string, text: string): void {
    this.#print(`${label.padEnd(labelWidth)}${text}\n`);
  }

  /** Prints what to do, each advice once, or `allIsWell`; returns whether every step was good. */
  conclude(allIsWell: string): boolean {
    const hints = new Set(this.#failed.map(({ hint }) => hint).filter((hint) => hint !== null));
    for (const hint of hints) this.note('To do', hint);
    if (this.#failed.length === 0) this.#print(`${allIsWell}\n`);
    return this.#failed.length === 0;
  }
}
