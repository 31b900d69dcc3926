import type { LabelSet } from '../../../src/alert/labels.ts';

/** A value for every label that the templates of the built-in knowledge use. */
export const sampleLabels: LabelSet = {
  namespace: 'payments', pod: 'checkout-7d9c5-x2x', container: 'app', node: 'node-1',
  nodename: 'node-1', instance: 'web-1:9100', job: 'node-exporter', device: 'sda',
  mountpoint: '/var/lib', name: 'sshd.service', deployment: 'checkout', statefulset: 'orders-db',
  daemonset: 'cni', job_name: 'backup-28', ifIndex: '3', cronjob: 'backup',
  rabbitmq_cluster: 'orders-mq',
  horizontalpodautoscaler: 'checkout', hpa: 'checkout',
  poddisruptionbudget: 'checkout', pdb: 'checkout', persistentvolumeclaim: 'data-orders-db-0',
  persistentvolume: 'pvc-1', service: 'checkout', consumergroup: 'billing', topic: 'orders',
  queue: 'mails', key: 'mails', ups: 'rack-a', proxy: 'checkout',
  server: 'checkout-1', database: 'shop', user: 'shop', dbinstance_identifier: 'shop-prod',
  member_idx: 'mongo-2:27017', client_addr: '10.0.0.8', slave_ip: '10.0.0.9',
  datname: 'orders', groupname: 'mail-worker', source: 'prometheus',
};
