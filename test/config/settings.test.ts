import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { ConfigError, listVariables, loadSettings } from '../../src/config/settings.ts';
import type { Settings } from '../../src/config/settings.ts';
import type { Environment } from '../../src/config/variables.ts';
import { temporaryFile } from '../support/temporary-directory.ts';

const token = 'canary-token-0123456789';
const certFile = 'test/fixtures/tls/first.pem';
const keyFile = 'test/fixtures/tls/first.key';

function load(environment: Environment, cores = 4): Settings {
  return loadSettings(environment, { cores, isTerminal: false });
}

function problemsOf(environment: Environment): readonly string[] {
  try {
    load(environment);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
}

test('loadSettings() fills in every default', () => {
  const { secrets, warnings, ...rest } = load({});
  const { trustedProxies, ...http } = rest.http;
  const settings = { ...rest, http };
  assert.ok(trustedProxies.isEmpty);
  const source = null;
  assert.deepEqual(settings, {
    http: {
      host: '127.0.0.1',
      port: 8080,
      reportBaseUrl: null,
      tls: null,
      access: { token: null, readAuth: 'open', login: null },
      webhookLimits: { perClient: 100, total: 1000, status: 'auto' },
      readLimits: { perClient: 600, total: 6000 },
      bodyLimitBytes: 16_777_216,
    },
    dataDirectory: './data',
    intake: { dedupWindowMs: 60_000, queueLimit: 10_000 },
    analysis: {
      workers: 3,
      workerMemoryMb: 64,
      investigationsPerWorker: 4,
      investigationTimeoutMs: 240_000,
    },
    retention: { ageMs: 2_592_000_000, reports: 100_000, recordingBytes: 1_073_741_824 },
    log: { level: 'info', format: 'json' },
    sources: { prometheus: source, alertmanager: source, loki: source, kubernetes: source },
    model: null,
    delivery: { webhook: null, slack: null },
  });
  assert.deepEqual(secrets, []);
  assert.equal(warnings.length, 1);
});

test('loadSettings() takes a variable set to nothing as unset', () => {
  const names = listVariables().flatMap(({ name }) => [name, `${name}_FILE`]);
  const nothing = Object.fromEntries(names.map((name) => [name, '']));
  assert.equal(JSON.stringify(load(nothing)), JSON.stringify(load({})));
});

test('loadSettings() leaves one core to the service, and starts a worker on a single one', () => {
  assert.deepEqual([1, 2, 8].map((cores) => load({}, cores).analysis.workers), [1, 1, 7]);
  assert.equal(loadSettings({}, { cores: 1, isTerminal: true }).log.format, 'pretty');
});

const ownModel: Environment = {
  MODEL_PROVIDER: 'openai-chat', MODEL_NAME: 'm', MODEL_URL: 'http://localhost:11434/v1/',
};

type Choose = (settings: Settings) => unknown;

const accepted: readonly (readonly [Environment, Choose, unknown])[] = [
  [{ HOST: '0.0.0.0' }, ({ http }) => http.host, '0.0.0.0'],
  [{ HOST: '[::1]' }, ({ http }) => http.host, '::1'],
  [{ HOST: 'alerts.example.org' }, ({ http }) => http.host, 'alerts.example.org'],
  [{ PORT: '0' }, ({ http }) => http.port, 0],
  [{ PORT: '65535' }, ({ http }) => http.port, 65_535],
  [{ REPORT_BASE_URL: 'https://x.org/' }, ({ http }) => http.reportBaseUrl, 'https://x.org'],
  [{ REPORT_BASE_URL: 'http://x:81/a/b//' }, ({ http }) => http.reportBaseUrl, 'http://x:81/a/b'],
  [{ LOG_LEVEL: 'info\r', PORT: ' 1 ' }, ({ http, log }) => [http.port, log.level], [1, 'info']],
  [{ REPORT_BASE_URL: 'http://[::1]:1' }, ({ http }) => http.reportBaseUrl, 'http://[::1]:1'],
  [{ REPORT_BASE_URL: 'http://a_b.é' }, ({ http }) => http.reportBaseUrl, 'http://a_b.xn--9ca'],
  [{ DATA_DIR: '/srv/a\r' }, (settings) => settings.dataDirectory, '/srv/a'],
  [{ DATA_DIR: '/srv/a b' }, (settings) => settings.dataDirectory, '/srv/a b'],
  [{ STATE_DIRECTORY: '/var/lib/a' }, (settings) => settings.dataDirectory, '/var/lib/a'],
  [{ STATE_DIRECTORY: '/var/lib/a:/b' }, (settings) => settings.dataDirectory, '/var/lib/a'],
  [{ STATE_DIRECTORY: '/v', DATA_DIR: 'd' }, (settings) => settings.dataDirectory, 'd'],
  [
    { TRUSTED_PROXIES: '10.0.0.0/8, ::1' },
    ({ http }) => ['10.9.9.9', '::1', '11.0.0.1'].map((each) => http.trustedProxies.has(each)),
    [true, true, false],
  ],
  [{ RATE_LIMIT_PER_CLIENT: '0' }, ({ http }) => http.webhookLimits.perClient, 0],
  [{ RATE_LIMIT_STATUS: '503' }, ({ http }) => http.webhookLimits.status, '503'],
  [{ READ_LIMIT_TOTAL: '7' }, ({ http }) => http.readLimits.total, 7],
  [{ BODY_LIMIT_BYTES: '1000' }, ({ http }) => http.bodyLimitBytes, 1000],
  [{ DEDUP_WINDOW_SECONDS: '0' }, ({ intake }) => intake.dedupWindowMs, 0],
  [{ QUEUE_LIMIT: '1' }, ({ intake }) => intake.queueLimit, 1],
  [{ WORKERS: '2' }, ({ analysis }) => analysis.workers, 2],
  [{ INVESTIGATIONS_PER_WORKER: '9' }, ({ analysis }) => analysis.investigationsPerWorker, 9],
  [{ INVESTIGATION_TIMEOUT_SECONDS: '5' }, ({ analysis }) => analysis.investigationTimeoutMs, 5000],
  [{ RETENTION_DAYS: '1' }, ({ retention }) => retention.ageMs, 86_400_000],
  [{ RECORDINGS_LIMIT_BYTES: '0' }, ({ retention }) => retention.recordingBytes, 0],
  [{ RETENTION_REPORTS: '10' }, ({ retention }) => retention.reports, 10],
  [{ LOG_LEVEL: 'debug' }, ({ log }) => log.level, 'debug'],
  [{ LOG_FORMAT: 'pretty' }, ({ log }) => log.format, 'pretty'],
  [
    { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile },
    ({ http }) => http.tls,
    { certFile, keyFile },
  ],
  [{ ACCESS_TOKEN: ` ${token} ` }, ({ http }) => http.access.token?.values(), [token]],
  [{ ACCESS_TOKEN: 'a\n\n b\r\na' }, ({ http }) => http.access.token?.values(), ['a', 'b']],
  [{ ACCESS_TOKEN: token, READ_AUTH: 'token' }, ({ http }) => http.access.readAuth, 'token'],
  [
    { READ_USER: 'u', READ_PASSWORD: 'p:w' },
    ({ http }) => http.access.login?.password.values(),
    ['p:w'],
  ],
  [
    { READ_USER: 'u', READ_PASSWORD: ' p\r' },
    ({ http }) => http.access.login?.password.values(),
    [' p'],
  ],
  [
    { LOKI_URL: 'http://l', LOKI_TIMEOUT_SECONDS: '3' },
    ({ sources }) => sources.loki?.timeoutMs,
    3000,
  ],
  [
    { LOKI_URL: 'http://l', LOKI_HEADERS: 'X-Scope-OrgID: a; X-Key:b:c ;' },
    ({ sources }) => sources.loki?.headers?.values(),
    ['X-Scope-OrgID: a', 'X-Key:b:c'],
  ],
  [
    { MODEL_PROVIDER: 'anthropic', MODEL_NAME: 'm', MODEL_API_KEY: 'k' },
    ({ model }) => [model?.provider, model?.url, model?.name, model?.apiKey?.values()[0]],
    ['anthropic', 'https://api.anthropic.com', 'm', 'k'],
  ],
  [
    { MODEL_PROVIDER: 'openai-chat', MODEL_NAME: 'm', MODEL_URL: 'http://localhost:11434/v1/' },
    ({ model }) => [model?.url, model?.apiKey],
    ['http://localhost:11434/v1', null],
  ],
  [{ ...ownModel }, ({ model }) => model?.tokensPerAlert, 120_000],
  [{ ...ownModel, MODEL_TOKENS_PER_DAY: '50000' }, ({ model }) => model?.tokensPerAlert, 50_000],
  [
    {
      MODEL_PROVIDER: 'openai', MODEL_NAME: 'm', MODEL_API_KEY: 'k', REANALYSE_AFTER_SECONDS: '60',
    },
    ({ model }) => model?.reanalyseAfterMs,
    60_000,
  ],
  [
    { DELIVER_SLACK_URL: 'https://hooks.slack.com/services/T/B/x' },
    ({ delivery }) => delivery.slack?.values(),
    ['https://hooks.slack.com/services/T/B/x'],
  ],
];

for (const [environment, pick, expected] of accepted) {
  test(`loadSettings() accepts ${JSON.stringify(environment)}`, () => {
    assert.deepEqual(pick(load(environment)), expected);
  });
}

const validHost = 'must be a URL with a valid host and port';
const wholePort = 'PORT must be a whole number from 0 to 65535, not';

const refused: readonly (readonly [Environment, string])[] = [
  [{ PORT: 'http' }, `${wholePort} "http"`],
  [{ PORT: '65536' }, `${wholePort} "65536"`],
  [{ PORT: '-1' }, `${wholePort} "-1"`],
  [{ PORT: '1e3' }, `${wholePort} "1e3"`],
  [{ PORT: '0x50' }, `${wholePort} "0x50"`],
  [{ PORT: ' ' }, `${wholePort} " "`],
  [{ PORT: '8.0' }, `${wholePort} "8.0"`],
  [{ PORT: '"80"' }, 'PORT must be written without quotation marks, not "\\"80\\""'],
  [{ DATA_DIR: "'/srv/a'" }, 'DATA_DIR must be written without quotation marks'],
  [{ DATA_DIR: ' ' }, 'DATA_DIR must be the path of a directory'],
  [{ DATA_DIR: '~/a' }, 'DATA_DIR must be the path of a directory, written out without ~ and $'],
  [{ DATA_DIR: '${HOME}/a' }, 'DATA_DIR must be the path of a directory'],
  [{ HOST: 'http://x' }, 'an IP address without scheme and port, not "http://x"'],
  [{ HOST: '127.0.0.1:80' }, 'HOST must be a host name'],
  [{ HOST: '256.1.1.1' }, 'HOST must be a host name'],
  [{ REPORT_BASE_URL: 'ftp://x' }, 'REPORT_BASE_URL must be a URL that begins with http:'],
  [{ REPORT_BASE_URL: 'http://$HOST:1' }, `${validHost} (IPv6`],
  [{ REPORT_BASE_URL: 'http://::1:80' }, validHost],
  [{ REPORT_BASE_URL: 'http://x:65536' }, validHost],
  [{ REPORT_BASE_URL: 'x.org' }, 'REPORT_BASE_URL must be a URL that begins with'],
  [{ REPORT_BASE_URL: `http://x/?${token}` }, 'must be a URL without query and fragment'],
  [{ REPORT_BASE_URL: 'https://x/?' }, 'must be a URL without query and fragment'],
  [{ PROMETHEUS_URL: 'https://x/#' }, 'must be a URL without query and fragment'],
  [
    { PROMETHEUS_URL: `http://u:${token}@p` },
    'PROMETHEUS_URL must be a URL without user and password ' +
      '(give them as PROMETHEUS_USER and PROMETHEUS_PASSWORD), ' +
      'not the value given',
  ],
  [
    { MODEL_URL: `http://u:${token}@m` },
    'MODEL_URL must be a URL without user and password (give them as MODEL_API_KEY), not the value',
  ],
  [{ TRUSTED_PROXIES: '10.0.0.0/33' }, 'TRUSTED_PROXIES must be a comma-separated list'],
  [{ TRUSTED_PROXIES: 'proxy' }, 'TRUSTED_PROXIES must be'],
  [{ TRUSTED_PROXIES: '10.0.0.0/8/1' }, 'TRUSTED_PROXIES must be'],
  [{ TRUSTED_PROXIES: '10.0.0.0/' }, 'TRUSTED_PROXIES must be'],
  [{ RATE_LIMIT_STATUS: '500' }, 'RATE_LIMIT_STATUS must be one of auto, 429, 503, not "500"'],
  [{ RATE_LIMIT_TOTAL: 'many' }, 'RATE_LIMIT_TOTAL must be a whole number'],
  [{ BODY_LIMIT_BYTES: '0' }, 'BODY_LIMIT_BYTES must be a whole number'],
  [{ QUEUE_LIMIT: '0' }, 'QUEUE_LIMIT must be'],
  [{ WORKERS: '0' }, 'WORKERS must be'],
  [{ WORKER_MEMORY_MB: '31' }, 'WORKER_MEMORY_MB must be'],
  [{ INVESTIGATION_TIMEOUT_SECONDS: '4' }, 'must be a whole number from 5 to 3600, not "4"'],
  [{ RETENTION_DAYS: '0' }, 'RETENTION_DAYS must be'],
  [{ LOG_LEVEL: 'INFO' }, 'LOG_LEVEL must be one of debug, info, warn, error, not "INFO"'],
  [{ LOG_FORMAT: 'x'.repeat(200) }, `not "${'x'.repeat(79)}…"`],
  [{ READ_AUTH: 'yes' }, 'READ_AUTH must be one of open, basic, token'],
  [{ READ_AUTH: 'basic' }, 'READ_AUTH=basic needs READ_USER and READ_PASSWORD'],
  [{ READ_AUTH: 'basic', READ_USER: 'u' }, 'READ_USER and READ_PASSWORD must be set together'],
  [{ READ_AUTH: 'token' }, 'READ_AUTH=token needs ACCESS_TOKEN'],
  [{ READ_PASSWORD: token }, 'READ_USER and READ_PASSWORD must be set together, or not at all'],
  [{ READ_USER: `a:${token}`, READ_PASSWORD: 'p' }, 'READ_USER must be a name without colons'],
  [{ TLS_CERT_FILE: certFile }, 'TLS_CERT_FILE and TLS_KEY_FILE must be set together'],
  [{ TLS_KEY_FILE: keyFile }, 'TLS_CERT_FILE and TLS_KEY_FILE must be set together'],
  [
    { TLS_CERT_FILE: '/not/there', TLS_KEY_FILE: keyFile },
    'TLS_CERT_FILE must be a file that can be read (ENOENT), not "/not/there"',
  ],
  [
    { TLS_CERT_FILE: certFile, TLS_KEY_FILE: 'package.json' },
    'TLS_CERT_FILE and TLS_KEY_FILE must be a certificate and its private key',
  ],
  [
    { TLS_CERT_FILE: certFile, TLS_KEY_FILE: 'test/fixtures/tls/second.key' },
    'TLS_CERT_FILE and TLS_KEY_FILE must be a certificate and its private key',
  ],
  [{ ACCESS_TOKEN: ' \n ' }, 'ACCESS_TOKEN is empty'],
  [{ ACCESS_TOKEN: `${token}é` }, 'ACCESS_TOKEN has characters that cannot be sent in a header'],
  [{ MODEL_API_KEY: `${token}\nx` }, 'MODEL_API_KEY has more than one line'],
  [{ MODEL_API_KEY: `${token}漢` }, 'MODEL_API_KEY has characters that cannot be sent'],
  [{ ALERTMANAGER_TOKEN: '漢字' }, 'ALERTMANAGER_TOKEN has characters that cannot be sent'],
  [{ LOKI_USER: `a:${token}`, LOKI_PASSWORD: 'p' }, 'LOKI_USER must be a name without'],
  [{ ACCESS_TOKEN: token, ACCESS_TOKEN_FILE: '/x' }, 'and ACCESS_TOKEN_FILE are both set'],
  [{ ACCESS_TOKEN_FILE: '/not/there' }, 'ACCESS_TOKEN_FILE: "/not/there": cannot be read (ENOENT)'],
  [{ ACCESS_TOKEN_FILE: '/' }, 'ACCESS_TOKEN_FILE: "/": cannot be read (EISDIR)'],
  [{ LOKI_USER: 'u' }, 'LOKI_USER and LOKI_PASSWORD must be set together, or not at all'],
  [
    { LOKI_TOKEN: token, LOKI_USER: 'u', LOKI_PASSWORD: 'p' },
    'LOKI_TOKEN and LOKI_USER exclude each other: give only one',
  ],
  [
    { LOKI_TOKEN: token, LOKI_HEADERS: `authorization: ${token}` },
    'LOKI_TOKEN and the Authorization of LOKI_HEADERS exclude each other: give only one',
  ],
  [{ LOKI_HEADERS: token }, 'LOKI_HEADERS must be "Name: value" pairs'],
  [{ LOKI_HEADERS: 'Host: x' }, 'must not set a header of the connection'],
  [{ LOKI_TIMEOUT_SECONDS: '0' }, 'LOKI_TIMEOUT_SECONDS must be'],
  [{ MODEL_PROVIDER: 'gpt' }, 'MODEL_PROVIDER must be one of none, openai'],
  [{ MODEL_PROVIDER: 'openai', MODEL_API_KEY: token }, 'MODEL_PROVIDER=openai needs MODEL_NAME'],
  [{ MODEL_PROVIDER: 'openai', MODEL_NAME: 'm' }, 'MODEL_PROVIDER=openai needs MODEL_API_KEY'],
  [{ ...ownModel, MODEL_NAME: ' ' }, 'MODEL_NAME must be one line that is not blank'],
  [{ MODEL_PRICE_IN: '1' }, 'MODEL_PRICE_IN and MODEL_PRICE_OUT must be set together'],
  [{ MODEL_PRICE_IN: '1,5', MODEL_PRICE_OUT: '1' }, 'must be an amount such as 2.50'],
  [
    { MODEL_TOKENS_PER_ALERT: '3000000' },
    'MODEL_TOKENS_PER_ALERT (3000000) must not be above MODEL_TOKENS_PER_DAY (2000000)',
  ],
  [{ DELIVER_SLACK_URL: `slack/${token}` }, 'DELIVER_SLACK_URL must be a URL that begins with'],
];

for (const [environment, expected] of refused) {
  test(`loadSettings() refuses ${JSON.stringify(environment).slice(0, 90)}`, () => {
    const problems = problemsOf(environment);
    assert.equal(problems.length, 1, problems.join('\n'));
    assert.ok(problems[0]?.includes(expected), problems[0]);
    assert.ok(!problems.join('').includes('canary'), problems[0]);
  });
}

test('loadSettings() does not read a setting that is not a secret from a file', () => {
  const basic = { READ_AUTH: 'basic', READ_USER_FILE: '/run/user', READ_PASSWORD: token };
  assert.deepEqual(problemsOf(basic), [
    'READ_USER and READ_PASSWORD must be set together, or not at all',
    'READ_USER_FILE is not a setting and has no effect (did you mean READ_USER?)',
  ]);
  const unnamed = { ...ownModel, MODEL_NAME: '', MODEL_NAME_FILE: '/run/name' };
  assert.equal(problemsOf(unnamed)[0], 'MODEL_PROVIDER=openai-chat needs MODEL_NAME');
});

test('loadSettings() reports all problems at once', () => {
  const wrong = { PORT: 'x', WORKERS: 'x', LOKI_URL: 'x', LOG_LEVEL: 'x' };
  const environment = { ...wrong, READ_AUTH: 'basic' };
  assert.equal(problemsOf(environment).length, 5);
  assert.throws(() => load(environment), (error: Error) => {
    assert.match(error.message, /^Cannot start with this configuration:\n  - PORT must /);
    assert.equal(error.message.split('\n  - ').length, 6);
    return true;
  });
});

test('loadSettings() reads secrets from files, without the line break at their end', () => {
  const settings = load({
    ACCESS_TOKEN_FILE: temporaryFile(`${token}\r\n\nsecond-token\n`),
    READ_USER: 'u',
    READ_PASSWORD_FILE: temporaryFile(' with space \n'),
  });
  assert.deepEqual(settings.http.access.token?.values(), [token, 'second-token']);
  assert.deepEqual(settings.http.access.login?.password.values(), [' with space ']);
  assert.equal(settings.secrets.length, 2);
});

for (const content of ['', '\n', ' \n\t\n']) {
  test(`loadSettings() refuses a token file with ${JSON.stringify(content)}`, () => {
    const file = temporaryFile(content);
    assert.deepEqual(problemsOf({ ACCESS_TOKEN_FILE: file }), [
      `ACCESS_TOKEN_FILE: ${JSON.stringify(file)}: the file is empty`,
    ]);
  });
}

test('loadSettings() refuses a secret file that is far too large', () => {
  const file = temporaryFile('x'.repeat(70_000));
  assert.match(problemsOf({ ACCESS_TOKEN_FILE: file }).join(), /the file is too large/);
});

const warned: readonly (readonly [Environment, RegExp])[] = [
  [{}, /^ACCESS_TOKEN is not set, so the webhook is open: any program on this machine/],
  [{ HOST: '127.9.9.9' }, /any program on this machine/],
  [{ HOST: '::1' }, /any program on this machine/],
  [{ HOST: '127.example.com' }, /ANYBODY who can reach 127.example.com/],
  [{ HOST: '0.0.0.0' }, /ANYBODY who can reach this machine/],
  [{ HOST: '::' }, /ANYBODY/],
  [{ HOST: '10.0.0.1', ACCESS_TOKEN: token }, /^READ_AUTH is open: reports can be read by anybody/],
  [{ ACCESS_TOKEN: `${token}\nshort` }, /^ACCESS_TOKEN has fewer than 16 characters/],
  [{ ACCESS_TOKEN: `"${token}"` }, /^ACCESS_TOKEN is in quotation marks, which count/],
  [{ LOKI_TOKEN: `Bearer ${token}` }, /^LOKI_TOKEN begins with "Bearer", which counts/],
  [{ HOST: '0.0.0.0', ACCESS_TOKEN: token }, /lead to localhost: set REPORT_BASE_URL/],
  [{ DELIVER_SLACK_URL: 'https://x.org/canary' }, /^REPORT_BASE_URL is not set: delivered links/],
  [{ WORKER_MEMORY_MB: '65' }, /^WORKER_MEMORY_MB is above 64/],
  [{ LOKI_TOKEN: token }, /^LOKI_TOKEN without LOKI_URL/],
  [{ LOKI_TOKEN: token, LOKI_URL: 'http://loki' }, /^LOKI_URL is http: .* unencrypted/],
  [{ LOKI_TOKEN: token, LOKI_URL: 'http://localhost.x' }, /^LOKI_URL is http: .* unencrypted/],
  [
    { ...ownModel, MODEL_URL: 'http://10.0.0.5/v1', MODEL_API_KEY: token },
    /^MODEL_URL is http: MODEL_API_KEY is sent unencrypted$/,
  ],
  [{ MODEL_NAME: 'm' }, /^MODEL_NAME without MODEL_PROVIDER/],
  [{ KUBERNETES_TOKEN: token }, /^KUBERNETES_TOKEN without KUBERNETES_URL/],
];

for (const [environment, expected] of warned) {
  test(`loadSettings() warns of ${JSON.stringify(environment)}`, () => {
    const { warnings } = load(environment);
    assert.ok(warnings.some((warning) => expected.test(warning)), warnings.join('\n'));
    assert.ok(!warnings.join('').includes('canary'));
  });
}

test('loadSettings() has no warning for a sound configuration', () => {
  const environment = { HOST: '0.0.0.0', ACCESS_TOKEN: token, REPORT_BASE_URL: 'https://x.org' };
  const closed = {
    ...environment, READ_AUTH: 'token', WORKER_MEMORY_MB: '64',
    DELIVER_SLACK_URL: 'https://x.org/canary',
  };
  assert.deepEqual(load(closed).warnings, []);
});

test('Settings never show a secret, however they are printed', () => {
  const secret = (name: string): string => `canary-${name}-0123456789`;
  const settings = load({
    ACCESS_TOKEN: secret('token'), READ_USER: 'u', READ_PASSWORD: secret('password'),
    LOKI_URL: 'http://l', LOKI_HEADERS: `X-Key: ${secret('header')}`, LOKI_TOKEN: secret('loki'),
    MODEL_PROVIDER: 'openai', MODEL_NAME: 'm', MODEL_API_KEY: secret('key'),
    DELIVER_WEBHOOK_URL: `https://x/${secret('url')}`,
  });
  const shown = [
    inspect(settings, { depth: 20, showHidden: true }),
    JSON.stringify(settings),
    settings.secrets.map(String).join(),
    `${String(settings.http.access.token)}`,
  ];
  assert.ok(!shown.join('\n').includes('canary'));
  assert.equal(settings.secrets.length, 6);
});
