import type { ChangeCandidate } from './change-candidate.ts';
import { isOfOwnCalls } from './names/own-calls.ts';

/**
 * The components that call `called`, directly or through others, as far as the series of their own
 * calls name what they call: `peer="payments"`, `server_address="payments.shop.svc:8080"`.
 */
export function callersOf(
  candidates: readonly ChangeCandidate[],
  called: string,
): ReadonlySet<string> {
  const known = new Set(candidates.map(({ component }) => component));
  const callersBy = new Map<string, Set<string>>();
  for (const { component, metric, labels = {} } of candidates) {
    if (!isOfOwnCalls(metric)) continue;
    for (const name of Object.values(labels).map(firstName)) {
      if (name === component || !known.has(name)) continue;
      callersBy.set(name, (callersBy.get(name) ?? new Set()).add(component));
    }
  }
  const found = new Set<string>();
  const open = [called];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const caller of callersBy.get(next) ?? []) {
      if (caller === called || found.has(caller)) continue;
      found.add(caller);
      open.push(caller);
    }
  }
  // What calls and is called by the alert's component may be either.
  for (const callee of reachedFrom(called, callersBy)) found.delete(callee);
  return found;
}

/** The components that `caller` calls, directly or through others. */
function reachedFrom(
  caller: string,
  callersBy: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  const reached = new Set([caller]);
  let size = 0;
  while (size < reached.size) {
    size = reached.size;
    for (const [callee, callers] of callersBy) {
      if ([...callers].some((each) => reached.has(each))) reached.add(callee);
    }
  }
  return reached;
}

/** `payments` of `http://payments.shop.svc:8080/charge`. */
function firstName(value: string): string {
  return /^(?:\w+:\/\/)?([^./:]*)/u.exec(value)?.[1] ?? value;
}
