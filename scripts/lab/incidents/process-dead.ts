import type { LabIncident } from '../incident.ts';

export const incident: LabIncident = {
  name: 'process-dead',
  seen: true,
  what: 'the process of search on app-1 is killed and does not come back',
  truth: {
    says: 'search on app-1 is gone since T: nothing listens on its port, while the host and '
      + 'the other instance of search are well. Start it, and read why it ended.',
    alerts: ['InstanceDown'],
    cause: /refused|nothing listens|not running|process (is|has|ended)|is gone|ended|died/,
    culprit: /search/,
    holds: [/target/],
    isFalse: [
      /network|DNS|TLS|credential/, /host (is|went|has)|app-1 (is|went) (down|unreach)/,
      /release|version/,
    ],
    mayNotBeRuledOut: /refused|process|crash/,
    step: /search|10\.4\.0\.\d+|systemctl|start|log|curl/,
  },
  cause: (shop) => shop.service('search').instance('search-1').kill(),
  end: (shop) => shop.service('search').instance('search-1').start(shop.now),
};
