import type { Bounded } from '../../sources/alertmanager.ts';
import type { ClusterObject } from '../../sources/kubernetes/cluster-objects.ts';
import type {
  Choice, ClusterKind, ContainerLog, Kubernetes,
} from '../../sources/kubernetes/kubernetes.ts';
import type { Outcome, Settle } from '../ask-within.ts';
import type { ClusterAnswers, Question } from './cluster-answers.ts';

type What = Question['what'];

/** Asks for objects of one namespace and records the outcome of each question. */
export class Asking {
  readonly #asked: { readonly what: What; outcome: Outcome<unknown> | null }[] = [];
  readonly #kubernetes: Kubernetes;
  readonly #settle: Settle;
  readonly #namespace: string;

  constructor(kubernetes: Kubernetes, settle: Settle, namespace: string) {
    this.#kubernetes = kubernetes;
    this.#settle = settle;
    this.#namespace = namespace;
  }

  /** In the order in which they were asked. */
  get questions(): readonly Question[] {
    return this.#asked.flatMap(({ what, outcome }) => {
      return outcome === null ? [] : [{ what, outcome }];
    });
  }

  /** Empty if the question was not answered. */
  async list<T>(
    what: What,
    kind: ClusterKind<T>,
    choice: Partial<Choice>,
  ): Promise<Bounded<T>> {
    const list = this.#kubernetes.list(kind, { namespace: this.#namespace, ...choice });
    return await this.#noted(what, list) ?? { items: [], omitted: 0 };
  }

  /** Null if there is no object of that name or the question was not answered. */
  async byName<T extends ClusterObject>(
    what: What,
    kind: ClusterKind<T>,
    name: string | null,
  ): Promise<T | null> {
    if (name === null) return null;
    const { items } = await this.list(what, kind, { fields: [`metadata.name=${name}`] });
    return items[0] ?? null;
  }

  /** Null if the question was not answered. */
  async log(log: Omit<ContainerLog, 'namespace'>): Promise<ClusterAnswers['log']> {
    const whole = { ...log, namespace: this.#namespace };
    const lines = await this.#noted('What the container logged last', this.#kubernetes.log(whole));
    return lines === null ? null : { ...whole, lines };
  }

  async #noted<T>(what: What, question: Promise<T>): Promise<T | null> {
    const asked: { what: What; outcome: Outcome<T> | null } = { what, outcome: null };
    this.#asked.push(asked);
    const outcome = await this.#settle(question);
    asked.outcome = outcome;
    return 'value' in outcome ? outcome.value : null;
  }
}
