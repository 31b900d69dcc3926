import type { Bounded } from '../../sources/answer-room.ts';
import type { ClusterObject } from '../../sources/kubernetes/cluster-objects.ts';
import type {
  Choice, ClusterKind, ContainerLog, Kubernetes,
} from '../../sources/kubernetes/kubernetes.ts';
import type { Ask } from '../ask-within.ts';
import type { ClusterAnswers, KubeSubject } from './cluster-answers.ts';

/** Asks for objects of one namespace. */
export class Asking {
  /** Subjects whose objects were not all read. */
  readonly unread: Set<KubeSubject> = new Set();
  readonly #kubernetes: Kubernetes;
  readonly #ask: Ask<KubeSubject>;
  readonly #namespace: string;

  constructor(kubernetes: Kubernetes, ask: Ask<KubeSubject>, namespace: string) {
    this.#kubernetes = kubernetes;
    this.#ask = ask;
    this.#namespace = namespace;
  }

  /** Empty if the question was not answered. */
  async list<T>(
    what: KubeSubject, kind: ClusterKind<T>, choice: Partial<Choice>,
  ): Promise<Bounded<T>> {
    const chosen = { namespace: this.#namespace, ...choice };
    const found = await this.#ask(what, () => this.#kubernetes.list(kind, chosen));
    if (found !== null && found.omitted > 0) this.unread.add(what);
    return found ?? { items: [], omitted: 0 };
  }

  /** Null if there is no object of that name or the question was not answered. */
  async byName<T extends ClusterObject>(
    what: KubeSubject,
    kind: ClusterKind<T>,
    name: string | null,
  ): Promise<T | null> {
    if (name === null) return null;
    const { items } = await this.list(what, kind, { fields: [`metadata.name=${name}`] });
    return items[0] ?? null;
  }

  /** Null if the question was not answered. */
  log(log: Omit<ContainerLog, 'namespace'>): Promise<ClusterAnswers['log']> {
    const whole = { ...log, namespace: this.#namespace };
    return this.#ask('What the container logged last', async () => {
      return { ...whole, lines: await this.#kubernetes.log(whole) };
    });
  }
}
