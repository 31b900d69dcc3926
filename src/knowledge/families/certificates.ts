import { metrics, names, promql, shell, type Family } from '../family.ts';

const readServed = shell('openssl s_client -connect {instance.tls} -servername {instance.host} ' +
  '</dev/null 2>/dev/null | openssl x509 -noout -dates -issuer -subject');

export const certificateExpiry: Family = {
  id: 'certificate-expiry',
  isGradual: true,
  names: names(`blackboxsslcertificate\\w*|(?:kube|kubelet|kubernetes|kubeapi)(?:client
    |server)?certificate(?:expiration|expiry|renewalerrors|expiresnextweek|expiressoon)
    |certmanager(?!\\w*(?:absent|down|metricmissing|memory|cpu|pod|crash|restart))\\w*
    |(?:ssl|tls|x509)?cert(?:ificate)?(?:s)?(?:expir\\w*|willexpire\\w*|aboutto\\w*|renewal\\w*
    |notready|invalid|revoked)|(?:ssl|tls)(?:expir\\w*)`),
  metrics: metrics(`
    probe_ssl_\\w+|x509_cert_\\w+|certmanager_certificate_\\w+|apiserver_client_certificate
    _expiration_seconds_\\w+|kubelet_certificate_manager_\\w+|ssl_cert_not_after
    |kubelet_server_expiration_renew_errors`),
  meaning: 'A certificate expires soon, is no longer valid, or could not be issued.',
  impact: 'Once it is invalid, every client that verifies it fails at the same moment.',
  // Rules count days as often as seconds, and the name of a metric in seconds says so.
  causes: [
    {
      id: 'renewal-broken', cause: 'The renewal job fails',
      mechanism: 'An ACME challenge, an issuer or a permission broke since the last renewal.',
      // Its namespace is that of the exporter in some setups and not in others.
      // A certificate stays ready until it expires, however often its renewal has failed.
      test: promql('certmanager_certificate_ready_status{name="{name}",condition="True"}',
        { atMost: 0 }),
    },
    {
      id: 'not-reloaded', cause: 'It was renewed, but the server still serves the old one',
      mechanism: 'The program reads its certificate only when it starts.',
      test: readServed,
      confirms: 'The secret or file is newer than what is served.',
      refutes: 'What is served and what is stored expire at the same time.',
    },
    {
      id: 'wrong-chain', cause: 'An intermediate of the chain expires, not the certificate itself',
      mechanism: 'The earliest expiry in the chain counts.',
      // Without a verified chain, its value is the first second of year 1.
      test: promql('(probe_ssl_last_chain_expiry_timestamp_seconds{instance="{instance}"} > 0) ' +
        '- probe_ssl_earliest_cert_expiry{instance="{instance}"}', { atLeast: 86_400, notUpTo: 0 }),
      note: 'It is how much longer the rest of the chain lasts.',
    },
    {
      id: 'manual', cause: 'It is renewed by hand, and nobody has done so',
      mechanism: 'No controller owns it, so nothing renews it.',
      test: shell('kubectl get certificates --namespace={namespace}'),
      confirms: 'No controller lists the certificate.',
    },
  ],
  steps: [
    {
      action: 'Read the dates of the certificate that is served now.',
      why: 'They show how much time is left, and which issuer to ask.',
      command: readServed,
      expected: 'notAfter matches the alert.',
    },
    {
      action: 'Find out why it is not renewed.',
      why: 'The events of the order or challenge name the failing check.',
      command: shell('kubectl get certificates,certificaterequests,orders,challenges ' +
        '--namespace={namespace}'),
    },
  ],
};
