/** The fake Prometheus and the fake model that the service asks, each run as a process. */
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { dependency } from '../../test/scenarios/faults.ts';
import { playedModels } from '../../test/scenarios/played-models.ts';
import { startFakeModel } from '../../test/support/fake-model/fake-model.ts';
import { serveWorld } from '../../test/support/sources/served-prometheus.ts';

export const narrationServersPath: string = fileURLToPath(import.meta.url);

/** Models by how busy they keep the service: a hanging one not at all, a busy one all the time. */
export const modelPaces: ReadonlyMap<string, { script: string; thinksMs?: number }> = new Map([
  ['hanging', { script: 'hanging' }],
  ['slow', { script: 'greedy', thinksMs: 300 }],
  ['busy', { script: 'greedy' }],
]);

async function serve(what: string): Promise<void> {
  const forEver = { after(): void {} };
  if (what === 'prometheus') {
    const { url } = await serveWorld(forEver, dependency(Date.now()).world);
    process.send?.(url);
    return;
  }
  // A real model runs on another machine: it must not take processor time from the service.
  setPriority(constants.priority.PRIORITY_LOW);
  const { script, thinksMs } = modelPaces.get(what) ?? { script: what };
  const model = playedModels[script]?.();
  if (model === undefined) throw new Error(`There is no played model ${script}`);
  const options = thinksMs === undefined ? {} : { thinksMs };
  const { url } = await startFakeModel(forEver, model.script, options);
  process.send?.(url);
}

if (process.argv[1] === narrationServersPath) await serve(process.argv[2] ?? '');
