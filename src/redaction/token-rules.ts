import { charClass, matchesIn, ruleBehind, runEnd, type RedactionRule, type Span } from './span.ts';

/**
 * Tokens that are recognized by how they begin. The forms were collected by gitleaks
 * (https://github.com/gitleaks/gitleaks, MIT) from the vendors' documentation.
 */
interface TokenForm {
  readonly name: string;
  /** How it begins. Must be of bounded length, and is part of the secret. */
  readonly head: RegExp;
  /** The characters of the rest, as the inside of `[…]`. */
  readonly rest: string;
  /** The length of the rest. */
  readonly lengths: readonly [min: number, max: number];
  /** A longer rest is something else, so it is left alone. */
  readonly isExact?: boolean;
  readonly check?: (rest: string) => boolean;
}

const word = '\\w-';

/**
 * Tokens with a mark of their own, that are too short or too plain to be recognized without it.
 * Longer ones with capitals and small letters need none.
 */
const marked = new RegExp(
  '\\b(?:LTAI|GR1348941|avns_|bkua_|CCIPAT_|CLOJARS_|dnkey-|duffel_(?:live|test)_|' +
    'gl(?:ffct|imt|rtr)-|hcaik_|ico-|lsv2_(?:pt|sk)_|p8e-|pnu_|pscale_(?:tkn|pw|oauth)_|rdme_|' +
    're_|rnd_|sb_secret_|sbp_|sgp_|shippo_(?:live|test)_|sm_(?:aat|pat|sat)_|sq0(?:atp|csp)-|' +
    'sq[apu]_|SWMTKN-1-|tk-us-|v1\\.0-[\\da-f]{24}-|xkeysib-)', 'g',
);

const forms: readonly TokenForm[] = [
  {
    name: 'aws-id', head: /\b(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)/g, rest: 'A-Z2-7',
    lengths: [16, 16], isExact: true,
  },
  { name: 'github', head: /\bgh[pousr]_/g, rest: '0-9A-Za-z', lengths: [36, 255] },
  { name: 'github', head: /\bgithub_pat_/g, rest: '\\w', lengths: [22, 255] },
  {
    name: 'gitlab', head: /\bgl(?:pat|cbt|rt|ptt|ft|dt|soat|oas|imt|agent)-/g, rest: '\\w.-',
    lengths: [20, 300],
  },
  { name: 'slack', head: /\bxox[abeoprs](?:\.xox[bp])?-/g, rest: '\\w.-', lengths: [10, 400] },
  { name: 'slack-app', head: /\bxapp-\d-/gi, rest: 'A-Za-z0-9-', lengths: [14, 150] },
  {
    name: 'webhook', rest: '!#-;=?-~', lengths: [1, 400],
    head: new RegExp(
      'hooks\\.slack\\.com(?:/|%2F)(?:services|workflows|triggers)(?:/|%2F)|' +
        '\\bdiscord(?:app)?\\.com/api/webhooks/|\\.webhook\\.office\\.com/|' +
        '\\boutlook\\.office(?:365)?\\.com/webhook/', 'gi',
    ),
  },
  {
    name: 'webhook', rest: word, lengths: [16, 64],
    head: new RegExp(
      '\\bevents\\.pagerduty\\.com/integration/|' +
        '\\balert\\.victorops\\.com/integrations/generic/\\d{1,12}/alert/', 'gi',
    ),
  },
  {
    name: 'webhook', head: /\/hooks\//g, rest: 'a-z0-9', lengths: [26, 26], isExact: true,
    check: (rest) => /\d/.test(rest),
  },
  { name: 'anthropic', head: /\bsk-ant-[a-z]{2,10}\d{2}-/g, rest: word, lengths: [20, 200] },
  {
    name: 'openai-like', head: /\bsk-(?:proj-|svcacct-|admin-|or-v1-)?/g, rest: word,
    lengths: [20, 300],
    // Names of pods contain digits too, but a hyphen every few letters.
    check: (rest) => /[A-Za-z\d]{16}/.test(rest) &&
      (/\d/.test(rest) || /[a-z]/.test(rest) && /[A-Z]/.test(rest)),
  },
  {
    name: 'stripe', head: /\b(?:sk|rk|whsec)_(?:test_|live_|prod_)?/g, rest: '0-9A-Za-z',
    lengths: [16, 120],
  },
  { name: 'model-key', head: /\b(?:gsk_|xai-|pplx-|r8_)/g, rest: 'A-Za-z0-9', lengths: [36, 100] },
  { name: 'google-key', head: /\bAIza/g, rest: word, lengths: [35, 35] },
  { name: 'google-oauth', head: /\bya29\./g, rest: word, lengths: [20, 2048] },
  { name: 'google-secret', head: /\bGOCSPX-/g, rest: word, lengths: [24, 60] },
  { name: 'new-relic', head: /\bNR(?:AK|II|RA|JS)-/g, rest: word, lengths: [19, 40] },
  { name: 'sentry', head: /\bsntry[su]_/g, rest: '\\w+/=', lengths: [40, 400] },
  { name: 'atlassian', head: /\bAT(?:ATT|CTT)3/g, rest: '\\w=-', lengths: [80, 400] },
  { name: 'postman', head: /\bPMAK-/g, rest: 'a-f0-9-', lengths: [59, 59] },
  { name: 'dynatrace', head: /\bdt0[a-z]\d\d\./g, rest: 'A-Z0-9.', lengths: [89, 89] },
  { name: 'doppler', head: /\bdp\.(?:pt|st|ct|scim|audit)\./g, rest: '\\w.-', lengths: [40, 80] },
  { name: 'pulumi', head: /\bpul-/g, rest: 'a-f0-9', lengths: [40, 40], isExact: true },
  { name: 'rubygems', head: /\brubygems_/g, rest: 'a-f0-9', lengths: [48, 48] },
  { name: 'figma', head: /\bfigd_/g, rest: word, lengths: [40, 60] },
  { name: 'notion', head: /\b(?:ntn_|secret_)/g, rest: 'A-Za-z0-9', lengths: [43, 46] },
  { name: 'azure-secret', head: /(?<![\w~.-])[\w~.]{3}\dQ~/g, rest: '\\w~.-', lengths: [31, 34] },
  {
    name: 'hash', rest: '\\w./$=,+:-', lengths: [28, 200],
    head: /\$(?:2[abxy]\$\d\d|[156y]|apr1|argon2i?d?)\$|\bpbkdf2_\w{3,8}\$|\bSCRAM-SHA-\d{1,3}\$/g,
  },
  { name: 'shopify', head: /\bshp(?:at|ca|pa|ss)_/g, rest: 'a-fA-F0-9', lengths: [32, 32] },
  { name: 'docker', head: /\bdckr_pat_/g, rest: word, lengths: [20, 60] },
  { name: 'linear', head: /\blin_api_/g, rest: 'A-Za-z0-9', lengths: [32, 60] },
  { name: 'terraform', head: /\b[A-Za-z0-9]{14}\.atlasv1\./g, rest: '\\w=-', lengths: [40, 90] },
  { name: 'grafana', head: /\bgl(?:sa|c)_/g, rest: 'A-Za-z0-9+/_=', lengths: [20, 400] },
  { name: 'vault', head: /\bhv[sbr]\./gi, rest: word, lengths: [20, 300] },
  {
    name: 'vault', head: /(?<![\w.])s\./g, rest: 'A-Za-z0-9', lengths: [24, 24], isExact: true,
    check: (rest) => /\d/.test(rest),
  },
  { name: 'npm', head: /\bnpm_/g, rest: 'A-Za-z0-9', lengths: [36, 36], isExact: true },
  { name: 'pypi', head: /\bpypi-/g, rest: word, lengths: [50, 400] },
  { name: 'hf', head: /\bhf_/g, rest: 'A-Za-z', lengths: [34, 34], isExact: true },
  { name: 'databricks', head: /\bdapi/g, rest: 'a-f0-9', lengths: [32, 32] },
  { name: 'do', head: /\bdo[opr]_v1_/g, rest: 'a-f0-9', lengths: [64, 64], isExact: true },
  {
    name: 'sendgrid', head: /\bSG\./g, rest: '\\w.-', lengths: [47, 100],
    check: (rest) => /^[\w-]{16,32}\.[\w-]{30,64}$/.test(rest),
  },
  { name: 'twilio', head: /\b(?:SK|AC)/g, rest: '0-9a-f', lengths: [32, 32], isExact: true },
  { name: 'tailscale', head: /\btskey-[a-z]{3,10}-/g, rest: word, lengths: [20, 80] },
  { name: 'mailgun', head: /\bkey-/g, rest: '0-9a-f', lengths: [32, 32], isExact: true },
  { name: 'tg-bot', head: /(?<!\d)\d{8,10}:AA/g, rest: word, lengths: [32, 35] },
  {
    name: 'pem', rest: 'A-Za-z0-9+/=_-', lengths: [16, 16_384],
    // `-----BEGIN … PRIVATE KEY` in base64, as in Secrets and kubeconfigs.
    head: new RegExp(
      '\\bLS0tLS1CRUdJTi(?:BQUklWQVRF|BSU0EgUFJJVkFUR|BFQyBQUklWQVRF|BEU0EgUFJJVkFUR|' +
        'BPUEVOU1NIIFBSSVZBVEUg|BFTkNSWVBURUQgUFJJVkFUR)', 'g',
    ),
  },
  { name: 'age', head: /\bAGE-SECRET-KEY-1/g, rest: '0-9A-Z', lengths: [58, 58] },
  {
    name: 'marked', rest: word, lengths: [16, 150], head: marked,
    check: (rest) => /\d/.test(rest) && /[A-Za-z\d]{12}/.test(rest),
  },
];

const uuid = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}';
/** Tokens of several parts, or with a mark at the end. All of them are of bounded length. */
const shapes = new RegExp([
  '\\bA3-[A-Z\\d]{6}-(?:[A-Z\\d]{11}|[A-Z\\d]{6}-[A-Z\\d]{5})(?:-[A-Z\\d]{5}){3}\\b', // 1Password
  '\\bpat[A-Za-z\\d]{14}\\.[\\da-f]{64}\\b', // Airtable
  '\\b[12]/\\d{13,20}:[\\da-f]{32}\\b', // Asana
  '\\b[MNO][\\w-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,38}', // Discord
  '\\bGOOG(?:1E)?[A-Z\\d]{20,60}\\b', // Google's HMAC keys
  '\\b(?:pat|sat)\\.[\\w-]{22}\\.[\\da-f]{24}\\.[A-Za-z\\d]{20}\\b', // Harness
  `\\b(?:pat-[a-z]{2}\\d|sdk|access-(?:sandbox|development|production))-${uuid}\\b`, // HubSpot …
  '\\bAPI-(?=[A-Z]*\\d)[A-Z\\d]{26}\\b', // Octopus Deploy
  '\\b[\\da-f]{32}-us\\d{1,2}\\b', '\\b[\\da-f]{36}NRAL\\b', // Mailchimp, New Relic
  '\\bsha256~[\\w-]{43}(?![\\w-])', // OpenShift
  '(?<=\\btoken[=: ]{1,2})[a-z\\d]{6}\\.[a-z\\d]{16}\\b', // kubeadm
].join('|'), 'g');

function* shapesIn(text: string): Iterable<Span> {
  for (const { index, 0: { length } } of matchesIn(text, shapes)) {
    yield { from: index, to: index + length };
  }
}

export const tokenRules: readonly RedactionRule[] = [
  ...forms.map(tokenRule), { name: 'shape', find: shapesIn },
];

function tokenRule(form: TokenForm): RedactionRule {
  const { name, head, rest, lengths: [min, max], isExact, check } = form;
  const has = charClass(rest);
  return ruleBehind(name, head, (text, from, { index }) => {
    const to = runEnd(text, from, { has, lengthMax: max });
    if (to - from < min) return null;
    if (isExact === true && /\w/.test(text.charAt(to))) return null;
    return check?.(text.slice(from, to)) === false ? null : { from: index, to };
  });
}
