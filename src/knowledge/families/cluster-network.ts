import { ifNone, ifSome, metrics, names, promql, shell, type Family } from '../family.ts';
import { ofJob, readWarnings } from '../usual-checks.ts';

const own = 'job="{job}",pod="{pod}"';

const cilium: Family = {
  id: 'cilium',
  names: names('(?:runningoutof)?cilium(?!hubble|(?:agent|operator)?(?:is)?(?:down|absent))\\w+'),
  metrics: metrics('cilium_\\w+'),
  meaning: 'Cilium drops packets, cannot reach nodes, or has reached one of its limits.',
  impact: 'Connections between pods fail, or new pods get no network.',
  causes: [
    {
      id: 'policy', cause: 'A network policy denies the packets',
      mechanism: 'It was changed, or a client calls something that it never called before.',
      test: ifSome(`sum(rate(cilium_drop_count_total{${own},reason="Policy denied"}[5m]))`),
    },
    {
      id: 'map-full', cause: 'A table of the agent is full',
      mechanism: 'It has no room for new connections, addresses or policies.',
      test: promql(`max(cilium_bpf_map_pressure{${own}})`, { atLeast: 0.9, notUpTo: 0.7 }),
    },
    {
      id: 'node-unreachable', cause: 'Nodes cannot reach each other',
      mechanism: 'A node is down, or a firewall blocks the tunnel or the health check.',
      test: ifSome(`max(cilium_unreachable_nodes{${own}})`),
    },
    {
      id: 'no-addresses', cause: 'There are no addresses left for pods',
      mechanism: 'The pool, the subnet or the limit of the provider is used up.',
      test: promql('sum(cilium_operator_ipam_available_ips) ' +
        'or sum(cilium_operator_ipam_ips{type="available"})', { atMost: 0, notFrom: 10 }),
    },
    {
      id: 'controllers', cause: 'The agent makes no progress with its tasks',
      mechanism: 'The Kubernetes API or a key-value store rejects it or does not answer.',
      test: ifSome(`max(cilium_controllers_failing{${own}})`),
    },
  ],
  steps: [
    {
      action: 'List the pods of Cilium.',
      why: 'While an agent restarts, changes do not reach its node.',
      command: shell('kubectl get pods --namespace=kube-system ' +
        '--selector=app.kubernetes.io/part-of=cilium -o wide'),
    },
    {
      action: 'Ask the agent for its state.',
      why: 'It lists failing controllers, unreachable nodes and how many addresses are used.',
      command: shell('kubectl exec --namespace=kube-system pod/{pod} -c cilium-agent -- ' +
        'cilium-dbg status --verbose'),
    },
  ],
};

const proxyConfig: Family = {
  id: 'proxy-config',
  names: names(`nginx(?:ingress)?(?:controller)?config(?:uration)?reload\\w*
    |ingressnginxconfig\\w*|traefikconfig(?:uration)?reload\\w*
    |istio(?:xdsconfigrejections|listenerconfigconflicts|galleyvalidationfailures)\\w*
    |istiopilot(?:hightotalrequestrate|duplicateentry|push\\w*|conflict\\w*)`),
  metrics: metrics(`nginx_ingress_controller_config_last_reload_successful|galley_validation_failed
    |pilot_(?:total_xds_rejects|xds_push_errors|conflict_\\w+|duplicate_envoy_clusters)
    |traefik_config_last_reload_\\w+`),
  meaning: 'A proxy rejected its last configuration, or did not receive it.',
  impact: 'It keeps the old one: new routes, addresses and certificates do not take effect.',
  causes: [
    {
      id: 'ingress', cause: 'An ingress or a snippet in it makes the configuration invalid',
      mechanism: 'One bad object blocks the changes of all others.',
      test: ifNone(`min(nginx_ingress_controller_config_last_reload_successful{${ofJob}})`),
      note: 'The log of the controller names the line.',
    },
    {
      id: 'rejected', cause: 'Sidecars reject what Istio sends them',
      mechanism: 'An EnvoyFilter, a port that is used twice, or incompatible versions.',
      test: ifSome(`sum(increase(pilot_total_xds_rejects{${ofJob}}[15m]))`),
    },
    {
      id: 'invalid', cause: 'Invalid Istio objects are applied',
      mechanism: 'They are rejected, so what they should change stays as it was.',
      test: ifSome(`sum(increase(galley_validation_failed{${ofJob}}[1h]))`),
    },
    {
      id: 'push', cause: 'Istio cannot push its configuration to the sidecars',
      mechanism: 'It is short of CPU, or connections to sidecars break.',
      test: ifSome(`sum(increase(pilot_xds_pushes{${ofJob},type=~".*_senderr"}[15m])) ` +
        `or sum(increase(pilot_xds_push_errors{${ofJob}}[15m]))`),
    },
  ],
  steps: [
    { ...readWarnings, why: 'The controller names the object that it rejects.' },
    {
      action: 'List the ingresses, the youngest last.',
      why: 'What was changed just before is the first suspect.',
      command: shell('kubectl get ingress --all-namespaces --sort-by=.metadata.creationTimestamp'),
    },
  ],
};

export const clusterNetworkFamilies: readonly Family[] = [cilium, proxyConfig];
