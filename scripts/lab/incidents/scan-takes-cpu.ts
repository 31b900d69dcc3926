import type { LabIncident } from '../incident.ts';
import type { Shop } from '../shop/shop.ts';

/** A core-second counter for each group of processes, as process-exporter has it. */
function useCpu(shop: Shop, host: string, groups: Readonly<Record<string, number>>): void {
  for (const [groupname, seconds] of Object.entries(groups)) {
    const labels = { groupname, mode: 'user' };
    shop.host(host).metrics.add('namedprocess_namegroup_cpu_seconds_total', labels, seconds);
  }
}

const wantedCores = 9;

let hook = (_: number, __: number): void => undefined;

export const incident: LabIncident = {
  name: 'scan-takes-cpu',
  seen: false,
  what: 'a virus scanner takes all cores of app-2; the services there are slower than elsewhere',
  truth: {
    says: 'app-2 is out of CPU since T: the load is 9 on 4 cores. clamscan takes them, which used '
      + 'to take next to nothing; the services use no more than before, and those on app-2 '
      + 'answer more slowly than their siblings on other hosts. No more traffic.',
    alerts: ['HostCpuBusy'],
    cause: /clamscan|\bcpu\b|process(es)?\b|cores/,
    culprit: /app-2/,
    holds: [/slow|latency/, /load/],
    isFalse: [
      /traffic|more requests/, /release|version/, /database|postgres/, /redis|cache/, /network/,
      /app-[13]|db-|edge-/, /\bmemory\b|disk/,
    ],
    mayNotBeRuledOut: /clamscan|\bcpu\b|host|app-2/,
    step: /\btop\b|\bps\b|clamscan|namedprocess|app-2|\bcpu\b/,
  },
  always: (shop, dt) => {
    for (const { name } of shop.hosts) {
      useCpu(shop, name, { clamscan: 0.01 * dt, sshd: 0.002 * dt, 'node_exporter': 0.01 * dt });
    }
  },
  cause: (shop) => {
    shop.host('app-2').busyCores = wantedCores;
    for (const service of shop.services) {
      for (const { name, host } of service.instances) {
        if (host === 'app-2') service.change({ timeFactor: 2.5 }, { instance: name });
      }
    }
    hook = (_, dt) => useCpu(shop, 'app-2', { clamscan: 3.4 * dt });
    shop.each.add(hook);
  },
  end: (shop) => {
    shop.each.delete(hook);
    shop.host('app-2').busyCores = 0.2;
  },
};
