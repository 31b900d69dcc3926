import type { LabIncident } from '../incident.ts';

const daySeconds = 86_400;
const url = 'https://shop.example.net/';

export const incident: LabIncident = {
  name: 'certificate-old',
  seen: false,
  what: 'shop.example.net gets its previous certificate back, which expired the day before',
  truth: {
    says: 'The probe of https://shop.example.net/ fails since T because the certificate served '
      + 'there expired a day ago. It was good for 58 more days until T, so an old one was put '
      + 'back. The services behind it are well, and api.example.net too.',
    alerts: ['ProbeFailed', 'CertificateExpiresSoon'],
    cause: /certificate|cert_expiry|TLS|SSL/,
    culprit: /shop\.example\.net/,
    holds: [/expire/, /probe/],
    isFalse: [
      /traffic|more requests/, /release/, /storefront/, /host/, /database|postgres/, /network/,
      /DNS/, /api\.example\.net/,
    ],
    mayNotBeRuledOut: /certificate|TLS|SSL|expire/,
    step: /certificate|openssl|curl|cert_expiry|TLS|renew/,
  },
  cause: (shop) => void (shop.probe(url).expiresAt = shop.now - daySeconds),
  end: (shop) => void (shop.probe(url).expiresAt = shop.now + 58 * daySeconds),
};
