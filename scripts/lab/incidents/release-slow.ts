import type { LabIncident } from '../incident.ts';

export const incident: LabIncident = {
  name: 'release-slow',
  seen: true,
  what: 'checkout 1.13.0 makes forty times as many database queries per order',
  truth: {
    says: 'checkout became 1.13.0 on both instances, and has been slow since: it makes far '
      + 'more database queries per order. Roll it back.',
    alerts: ['HighLatency'],
    cause: /release|version|deploy|1\.13\.0/,
    culprit: /checkout.*1\.13\.0|1\.13\.0.*checkout/,
    holds: [/quer(y|ies)/, /checkout.*(slow|latency|duration|takes)/, /calls.*checkout/],
    isFalse: [
      /database.*(is|was) slow|is slow.*database/, /traffic|more requests/,
      /host|node/, /payments|inventory|acquirer/, /pool|connections? (are|is)/,
    ],
    mayNotBeRuledOut: /release|version|deploy|quer/,
    step: /1\.13\.0|1\.12\.3|roll|release|version|deploy/,
  },
  cause: (shop) => {
    const checkout = shop.service('checkout');
    checkout.restart(shop.now, '1.13.0');
    checkout.change({ queriesFactor: 40 });
  },
  end: (shop) => shop.service('checkout').restart(shop.now, '1.12.3'),
};
