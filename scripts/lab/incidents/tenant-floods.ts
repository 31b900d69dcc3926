import type { LabIncident } from '../incident.ts';

export const incident: LabIncident = {
  name: 'tenant-floods',
  seen: true,
  what: 'one tenant, t121, sends two hundred times as many exports as it used to',
  truth: {
    says: 'exports is slow because tenant t121 sends far more requests since T (from 0.1/s '
      + 'to some 20/s, nine of ten of all); the other tenants send as before. Limit t121.',
    alerts: ['HighLatency'],
    cause: /traffic|more requests|requests.*rose|tenant/,
    culprit: /t121/,
    holds: [/POST|exports/, /quer(y|ies)/, /CPU/],
    isFalse: [/release|version/, /host/, /catalog|checkout|payments/, /restart/],
    mayNotBeRuledOut: /traffic|client|tenant/,
    step: /t121|tenant/,
  },
  cause: (shop) => {
    shop.tenantFactor.set('t121', 200);
    shop.service('exports').change({ timeFactor: 7 });
  },
  end: () => undefined,
};
