import type { Alert } from '../alert/alert.ts';
import { labelOf, type LabelSet } from '../alert/labels.ts';
import type { CauseTest } from '../evidence/metrics/cause-tests.ts';
import type { AlertPlace } from '../evidence/place.ts';
import { judgeTest, namedBy } from './judge-test.ts';
import { knowledgeFor } from './knowledge-for.ts';

/** The queries whose result, compared with a bound, confirms a cause or rules it out. */
export function planTests(
  alert: Alert,
  expression: string | null,
  place: AlertPlace,
): CauseTest[] {
  const knowledge = knowledgeFor(alert, expression, place);
  const tests = (knowledge?.causes ?? []).flatMap(({ id, cause, test, ofStores, namesCallee }) => {
    const testBy = (filled: typeof test, as: string): CauseTest[] => {
      const bounds = filled?.bounds ?? null;
      return filled === null || bounds === null ? [] : [{
        id: as, cause, query: filled.text,
        isSupported: (samples) => judgeTest(bounds, samples) === 'supported',
        isGradual: knowledge?.family.isGradual === true,
        next: ({ samples }) => {
          const who = as === id && namesCallee === true ? namedBy(samples, bounds) : null;
          if (who === null) return [];
          const callee = { ...place, labels: ofCallee(who, place.labels) };
          return planTests(alert, expression, callee)
            .filter((each) => each.id === id || each.id === inStores(id))
            .map((each) => ({ ...each, id: `${each.id} of ${who}` }));
        },
      }];
    };
    return [...testBy(test, id), ...testBy(ofStores?.test ?? null, inStores(id))];
  });
  // What a person would ask next, this asks at once.
  const questions = (knowledge?.steps ?? []).flatMap(({ action, command, asked }) =>
    asked === null || command === null ? []
      : [{ id: asked, cause: action, query: command, isSupported: () => false }]);
  return [...tests, ...questions];
}

/** The alert's labels, none of them `exported_`, with what its component calls in its place. */
function ofCallee(name: string, { exported_job, exported_service, ...labels }: LabelSet): LabelSet {
  const job = exported_job ?? labelOf(labels, 'job');
  const service = exported_service ?? labelOf(labels, 'service');
  const called = service === null || service === job ? name : job;
  return { ...labels, ...called && { job: called }, ...service !== null && { service: name } };
}

/** The id of the test of a cause by what is called through clients of stores. */
export function inStores(id: string): string {
  return `${id} in stores`;
}
