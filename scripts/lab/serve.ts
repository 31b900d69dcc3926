/** Serves what the targets of a shop expose, each at an address of its own. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Cleanup } from '../../test/support/cleanup.ts';
import type { Target } from './shop/target.ts';

export interface ServedTarget {
  readonly target: Target;
  /** `host:port`, of the loopback network. */
  readonly address: string;
}

const port = 19_000;
/** Other runs of the lab on this machine most probably have another one. */
const network = 20 + process.pid % 200;

/** `lane` is from 1 to 250. Call the function that is returned when a target may have changed. */
export async function serveTargets(
  cleanup: Cleanup,
  targets: readonly Target[],
  lane: number,
): Promise<{ served: readonly ServedTarget[]; follow: () => void }> {
  const doors = targets.map((target, index) =>
    new Door(target, `127.${network}.${lane}.${index + 1}`));
  for (const door of doors) {
    await door.open();
    cleanup.after(() => door.close());
  }
  return {
    served: doors.map(({ target, host }) => ({ target, address: `${host}:${port}` })),
    follow: () => doors.forEach((door) => door.follow()),
  };
}

class Door {
  readonly target: Target;
  readonly host: string;
  #server: Server | null = null;

  constructor(target: Target, host: string) {
    this.target = target;
    this.host = host;
  }

  async open(): Promise<void> {
    const server = createServer((_, response) => {
      // A silent one accepts and says nothing, so that the scrape runs into its timeout.
      if (this.target.state === 'silent') return;
      response.setHeader('content-type', 'text/plain; version=0.0.4');
      response.end(this.target.metrics.text());
    });
    this.#server = server.listen(port, this.host);
    await once(server, 'listening');
  }

  close(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
    this.#server = null;
  }

  /** A process that has ended does not listen. */
  follow(): void {
    if (this.target.state === 'refuses') return void this.close();
    if (this.#server === null) void this.open();
  }
}
