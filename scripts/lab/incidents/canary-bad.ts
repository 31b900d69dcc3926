import type { LabIncident } from '../incident.ts';

export const incident: LabIncident = {
  name: 'canary-bad',
  seen: true,
  what: 'catalog 2.8.0 runs on one of ten instances and fails 70 % of its requests',
  truth: {
    says: 'One of ten instances of catalog, catalog-10 (10.4.0.25:8080 on app-3), runs 2.8.0 '
      + 'since T and answers most of its requests with 500; the other nine are well. Take '
      + 'the canary back.',
    alerts: ['HighErrorRate'],
    cause: /release|version|2\.8\.0|canary/,
    culprit: /2\.8\.0/,
    holds: [/10\.4\.0\.25/, /one (replica|instance)/, /catalog/],
    isFalse: [/traffic|more requests/, /host/, /database|postgres/, /redis|cache/],
    mayNotBeRuledOut: /release|version|one replica/,
    step: /2\.8\.0|2\.7\.0|roll|release|version|10\.4\.0\.25/,
  },
  cause: (shop) => {
    const catalog = shop.service('catalog');
    catalog.restart(shop.now, '2.8.0', ['catalog-10']);
    catalog.change({ errorShare: 0.7 }, { instance: 'catalog-10' });
  },
  end: (shop) => shop.service('catalog').restart(shop.now, '2.7.0', ['catalog-10']),
};
