import { labelOf, type LabelSet } from '../alert/labels.ts';
import { labelWeight } from '../alert/similarity.ts';
import { Posting, type Term } from './alert-index.ts';

/** The labels of all open alerts, each pair of name and value once. */
export class LabelTerms {
  readonly #terms = new Map<string, Map<string, Term>>();

  find(name: string, value: string): Term | undefined {
    return this.#terms.get(name)?.get(value);
  }

  /** A term for each label; has to be released with {@linkcode LabelTerms.release}. */
  take(labels: LabelSet): Term[] {
    return Object.keys(labels).map((name) => {
      const term = this.#term(name, labelOf(labels, name) ?? '');
      term.uses += 1;
      return term;
    });
  }

  release(terms: readonly Term[]): void {
    for (const term of terms) {
      term.uses -= 1;
      if (term.uses > 0) continue;
      const values = this.#terms.get(term.name);
      values?.delete(term.value);
      if (values?.size === 0) this.#terms.delete(term.name);
    }
  }

  #term(name: string, value: string): Term {
    let values = this.#terms.get(name);
    if (values === undefined) this.#terms.set(name, (values = new Map<string, Term>()));
    let term = values.get(value);
    if (term === undefined) {
      term = { name, value, weight: labelWeight(name), posting: new Posting(), uses: 0, mark: 0 };
      values.set(value, term);
    }
    return term;
  }
}
