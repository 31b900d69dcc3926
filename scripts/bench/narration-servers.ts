/** What a service with a model asks, as processes of their own: Prometheus, or the model. */
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { dependency } from '../../test/scenarios/faults.ts';
import { playedModels } from '../../test/scenarios/played-models.ts';
import { startFakeModel } from '../../test/support/fake-model/fake-model.ts';
import { serveWorld } from '../../test/support/sources/served-prometheus.ts';

export const narrationServersPath: string = fileURLToPath(import.meta.url);

/** By what they leave the service to do while they are asked. */
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
  // A model runs elsewhere: here it shall take no turn from who is measured.
  setPriority(constants.priority.PRIORITY_LOW);
  const { script, thinksMs } = modelPaces.get(what) ?? { script: what };
  const model = playedModels[script]?.();
  if (model === undefined) throw new Error(`Nobody plays ${script}`);
  const options = thinksMs === undefined ? {} : { thinksMs };
  const { url } = await startFakeModel(forEver, model.script, options);
  process.send?.(url);
}

if (process.argv[1] === narrationServersPath) await serve(process.argv[2] ?? '');
