import type { ChangeCandidate } from './change-candidate.ts';
import { isOfOwnCalls } from './names/own-calls.ts';

/** Whom a component calls, or who calls it. */
type Edges = Map<string, Set<string>>;

/**
 * The components that call `called`, directly or through others, as far as the series of their own
 * calls name what they call: `peer="payments"`, `server_address="payments.shop.svc:8080"`. Those
 * that it calls in turn are left out: they may be either.
 */
export function callersOf(
  candidates: readonly ChangeCandidate[],
  called: string,
): ReadonlySet<string> {
  const known = new Set(candidates.map(({ component }) => component));
  const callers: Edges = new Map();
  const callees: Edges = new Map();
  for (const { component, metric, labels } of candidates) {
    if (!isOfOwnCalls(metric)) continue;
    for (const name of Object.values(labels).map(firstName).filter((each) => known.has(each))) {
      callers.set(name, (callers.get(name) ?? new Set()).add(component));
      callees.set(component, (callees.get(component) ?? new Set()).add(name));
    }
  }
  const calling = reachedFrom(called, callers);
  for (const callee of reachedFrom(called, callees)) calling.delete(callee);
  return calling;
}

/** What the edges lead to, with where they begin. */
function reachedFrom(start: string, edges: Edges): Set<string> {
  const reached = new Set([start]);
  // What is added while a set is iterated is iterated as well.
  for (const each of reached) for (const next of edges.get(each) ?? []) reached.add(next);
  return reached;
}

/** `payments` of `http://payments.shop.svc:8080/charge`. */
function firstName(value: string): string {
  return /^(?:\w+:\/\/)?([^./:]*)/u.exec(value)?.[1] ?? value;
}
