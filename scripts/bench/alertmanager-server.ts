/** A real Alertmanager that notifies nobody, to compare with how fast it takes alerts itself. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  eventually, findProgram, freePort, startProgram, type Program,
} from '../../test/support/programs/programs.ts';

/** Keeps its data in `directory`, which must exist. The caller stops it. */
export async function startIdleAlertmanager(
  directory: string,
): Promise<{ readonly port: number; readonly program: Program }> {
  const command = findProgram('prometheus-alertmanager', 'prometheus-alertmanager');
  const configuration = join(directory, 'alertmanager.yml');
  writeFileSync(configuration, 'route: { receiver: nobody }\nreceivers: [{ name: nobody }]\n');
  const port = await freePort();
  const program = startProgram(command, [
    `--config.file=${configuration}`,
    `--storage.path=${join(directory, 'alertmanager')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--cluster.listen-address=',
    '--log.level=error',
  ]);
  const isReady = async (): Promise<true | null> =>
    (await fetch(`http://127.0.0.1:${port}/-/ready`)).status === 200 ? true : null;
  await eventually('Alertmanager to be ready', isReady, { program });
  return { port, program };
}
