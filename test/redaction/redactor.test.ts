import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor, redactData } from '../../src/redaction/redactor.ts';

/** Put together here, so that no scanner of repositories takes the tests for leaks. */
function token(prefix: string, length: number, alphabet = 'aB3dE6gH9k'): string {
  return prefix + alphabet.repeat(Math.ceil(length / alphabet.length)).slice(0, length);
}

const jwt = `${token('eyJ', 20)}.${token('eyJ', 30)}.${token('', 27)}`;
const key = (name: string): string => `-----${name} RSA PRIVATE KEY-----`;

function encodedKey(kind: string): string {
  const body = token('', 40);
  return Buffer.from(key('BEGIN').replace('RSA ', kind) + `\n${body}\n`).toString('base64');
}

/** Rule, text, and what must not be left of it. */
const positives: readonly (readonly [rule: string, text: string, secret: string])[] = [
  ['pem', `a\n${key('BEGIN')}\nMIIEabc\n${key('END')}\nb`, 'MIIEabc'],
  ['pem', `${key('BEGIN')}\nMIIEcut`, 'MIIEcut'],
  ['auth-header', 'Authorization: Bearer abc123', 'abc123'],
  ['auth-header', '{"authorization":"Basic dXNlcjpwYXNz"}', 'dXNlcjpwYXNz'],
  ['auth-header', 'X-Api-Key: k1-98', 'k1-98'],
  ['auth-header', 'Authorization: Digest username="app", response="0a4f113b"', '0a4f113b'],
  ['auth-header', 'X-Api-Key: k1-98 \t\r\nHost: a', 'k1-98'],
  ['auth-header', 'Cookie: sid=42; theme=dark', 'sid=42'],
  ['auth-header', 'authorization=Token abcd status=500', 'abcd'],
  ['element', '<db:password>hunter2</db:password>', 'hunter2'],
  ['said', 'the password is Zq8vT2kLm4Xw', 'Zq8vT2kLm4Xw'],
  ['said', "env DB_PASSWORD set to 'Zq8vT2kLm4Xw'", 'Zq8vT2kLm4Xw'],
  ['kv', 'JSESSIONID=Zq8vT2kLm4Xw; Path=/', 'Zq8vT2kLm4Xw'],
  ['option', 'keytool -list -storepass changeit', 'changeit'],
  ['tailscale', token('tskey-auth-', 24), 'aB3dE6gH9k'],
  ['mailgun', token('key-', 32, 'a1b2c3d4'), 'a1b2c3d4'],
  ['url-cred', 'postgres://app:hunter2@db:5432/shop', 'hunter2'],
  ['url-cred', 'amqp://app:p@ss@mq/', 'ss@'],
  ['url-cred', 'redis://:s3cr@cache', 's3cr'],
  ['url-query', 'GET /v1?user=1&api_key=abc HTTP/1.1', 'abc'],
  ['url-query', 'https://maps.example/?key=4f9a0c1d2e3b4a5968', '4f9a0c1d2e3b4a5968'],
  ['url-query', '/cb?code=4f9a0c1d2e3b4a5968', '4f9a0c1d2e3b4a5968'],
  ['url-query', 'https://s3/x?X-Amz-Signature=deadbeef&a=1', 'deadbeef'],
  ['jwt', `token ${jwt} refused`, jwt],
  ['jwt', `cookie-less ${jwt.split('.').slice(0, 2).join('.')}`, jwt.slice(0, 20)],
  ['aws-secret', `aws_secret_access_key = ${token('', 40)}`, token('', 40)],
  ['aws-id', `id ${token('AKIA', 16, 'ABCDEFGH234567JK')} used`, 'ABCDEFGH'],
  ['github', `push with ${token('ghp_', 36)}`, token('ghp_', 36)],
  ['github', token('github_pat_', 30), 'aB3dE6gH9k'],
  ['gitlab', token('glpat-', 20), 'aB3dE6gH9k'],
  ['slack', token('xoxb-', 24), 'aB3dE6gH9k'],
  ['slack-app', token('xapp-1-A02-', 30), 'aB3dE6gH9k'],
  ['webhook', 'https://hooks.slack.com/services/T0/B0/xyz', 'T0/B0/xyz'],
  ['webhook', 'https://discord.com/api/webhooks/12/abc', '12/abc'],
  ['anthropic', token('sk-ant-api03-', 40), 'aB3dE6gH9k'],
  ['openai-like', token('sk-proj-', 40), 'aB3dE6gH9k'],
  ['stripe', token('sk_live_', 24), 'aB3dE6gH9k'],
  ['google-key', token('AIza', 35), 'aB3dE6gH9k'],
  ['google-oauth', token('ya29.', 40), 'aB3dE6gH9k'],
  ['grafana', token('glsa_', 32), 'aB3dE6gH9k'],
  ['vault', token('hvs.', 24), 'aB3dE6gH9k'],
  ['vault', `lease ${token('s.', 24)} ends`, 'aB3dE6gH9k'],
  ['npm', token('npm_', 36), 'aB3dE6gH9k'],
  ['pypi', token('pypi-', 60), 'aB3dE6gH9k'],
  ['hf', token('hf_', 34, 'aBcDeFgH'), 'aBcDeFgH'],
  ['databricks', token('dapi', 32, '0123456789abcdef'), '0123456789abcdef'],
  ['do', token('dop_v1_', 64, '0123456789abcdef'), '0123456789abcdef'],
  ['sendgrid', `${token('SG.', 22)}.${token('', 43)}`, 'aB3dE6gH9k'],
  ['twilio', token('SK', 32, '0123456789abcdef'), '0123456789abcdef'],
  ['tg-bot', token('123456789:AA', 33), 'aB3dE6gH9k'],
  ['age', token('AGE-SECRET-KEY-1', 58, 'QPZRY9X8GF'), 'QPZRY9X8GF'],
  ['bearer', 'sent bearer abc.def-123_456/789 to it', 'abc.def-123'],
  ['name-value', '- name: POSTGRES_PASSWORD\n  value: hunter2', 'hunter2'],
  ['name-value', '{"name":"API_TOKEN","value":"t0p"}', 't0p'],
  ['kv', 'password=hunter2', 'hunter2'],
  ['kv', 'DB_PASSWORD: hunter2', 'hunter2'],
  ['kv', '{"dbPassword": "hunter2 with blanks"}', 'hunter2'],
  ['kv', "client_secret => 'abc'", 'abc'],
  ['kv', 'token: swordfish user=bob', 'swordfish'],
  ['kv', 'login failed, token=8f9c1a, retrying', '8f9c1a'],
  ['kv', 'up{password="hunter2"}', 'hunter2'],
  ['kv', 'spring.datasource.password=hunter2', 'hunter2'],
  ['kv', 'PGPASSWORD=hunter2 psql -h db', 'hunter2'],
  ['kv', 'DBPASSWORD=hunter2', 'hunter2'],
  ['kv', 'userpassword: hunter2', 'hunter2'],
  ['kv', 'AWSSECRETACCESSKEY=hunter2', 'hunter2'],
  ['kv', 'SSHPASS=hunter2 sshpass -e ssh db', 'hunter2'],
  ['kv', 'REDISCLI_AUTH=hunter2', 'hunter2'],
  ['kv', '{"pass": "hunter2"}', 'hunter2'],
  ['kv', 'db_pass: hunter2', 'hunter2'],
  ['kv', 'https://h/?user=bob&pass=hunter2', 'hunter2'],
  ['kv', 'AccountName=a;AccountKey=hunter2==;EndpointSuffix=core.example', 'hunter2'],
  ['option', 'mysqldump --password hunter2 shop', 'hunter2'],
  ['option', "client --api-key 'hunter2' --verbose", 'hunter2'],
  ['option', 'curl -u admin:hunter2 https://x', 'hunter2'],
  ['option', 'mysql -uroot -phunter2 shop', 'hunter2'],
  ['option', 'sshpass -p hunter2 ssh db', 'hunter2'],
  ['option', 'redis-cli -h cache -a hunter2 info', 'hunter2'],
  ['url-cred', 'next=https%3A%2F%2Fbob%3Ahunter2%40host', 'hunter2'],
  ['url-cred', 'dsn app:hunter2@tcp(db:3306)/shop', 'hunter2'],
  ['webhook', 'https://outlook.office.com/webhook/a-b/IncomingWebhook/c', 'IncomingWebhook/c'],
  ['tg-bot', `https://api.telegram.org/bot${token('123456789:AA', 33)}/send`, 'aB3dE6gH9k'],
  ['kv', String.raw`{\"password\":\"hunter2 \\\"x\"}`, 'hunter2'],
  ['kv', String.raw`"{\\\"dbPassword\\\":\\\"hunter2\\\"}"`, 'hunter2'],
  ['kv', String.raw`password="a\"hunter2"`, 'hunter2'],
  ['kv', 'password := "hunter2"', 'hunter2'],
  ['kv', 'if password == "hunter2"', 'hunter2'],
  ['kv', 'SECRET_KEY_BASE=hunter2', 'hunter2'],
  ['kv', 'ENCRYPTION_KEY: hunter2', 'hunter2'],
  ['name-value', '{"key":"db-password","value":"hunter2"}', 'hunter2'],
  ['option', 'docker login -u ci -p hunter2 registry', 'hunter2'],
  ['option', 'mongodump -u root -p hunter2 shop', 'hunter2'],
  ['option', 'ldapsearch -D cn=admin -w hunter2', 'hunter2'],
  ['option', 'sqlcmd -U sa -P hunter2 -Q x', 'hunter2'],
  ['option', 'openssl rsa -in k -passin pass:hunter2', 'hunter2'],
  ['option', "ALTER USER app WITH PASSWORD 'hunter2'", 'hunter2'],
  ['option', "CREATE USER app IDENTIFIED BY 'hunter2'", 'hunter2'],
  ['option', 'requirepass hunter2', 'hunter2'],
  ['url-cred', `https://${token('', 24)}@git.example/x.git`, 'aB3dE6gH9k'],
  ['google-secret', token('GOCSPX-', 28), 'aB3dE6gH9k'],
  ['new-relic', token('NRAK-', 27, 'AB3DE6GH9K'), 'AB3DE6GH9K'],
  ['shopify', token('shpat_', 32, '0123456789abcdef'), '0123456789abcdef'],
  ['docker', token('dckr_pat_', 27), 'aB3dE6gH9k'],
  ['linear', token('lin_api_', 40), 'aB3dE6gH9k'],
  ['terraform', `${token('', 14)}.${token('atlasv1.', 60)}`, 'aB3dE6gH9k'],
  ['option', 'mysqldump -pother12 shop | mysql -phunter2 copy', 'hunter2'],
  ['option', 'mysql -e "select 1" && redis-cli -a hunter2 ping', 'hunter2'],
  ['option', 'mysql -h a; sshpass -p hunter2 ssh b mysql -pother12', 'hunter2'],
  ['option', 'mysql -ph\u00fcnter2', 'nter2'],
  ['auth-header', 'X-Api-Key: h\u00fcnter2', 'nter2'],
  ['url-cred', 'postgres://\u00fcser:h\u00fcnter2@db/shop', 'nter2'],
  ['url-query', '/v1?api_key=h\u00fcnter2', 'nter2'],
  ['kv', `pass${'\u200b'}word=hun${'\u00ad'}ter2`, 'ter2'],
  ['kv', 'password=\u001b[31mhunter2\u001b[0m', 'hunter2'],
  ['pem', `tls.key: ${encodedKey('RSA ')}`, encodedKey('RSA ').slice(40, 70)],
  ['pem', `key ${encodedKey('')}`, encodedKey('').slice(40, 70)],
  ['pem', `  ${token('', 64)}`, 'aB3dE6gH9k'],
  ['pem', `a\n${token('', 70)}\r\nb`, 'aB3dE6gH9k'],
  ['auth-header', '{"Authorization":["Bearer abc123"]}', 'abc123'],
  ['auth-header', 'authorization: Digest username="a", response="hunter2"', 'hunter2'],
  ['auth-header', 'Authorization: OAuth a="b", oauth_signature="hunter2"', 'hunter2'],
  ['url-cred', 'parse "postgres://app:hun/ter2@db/shop": invalid port', 'ter2'],
  ['url-cred', 'jdbc:oracle:thin:app/hunter2@//db:1521/shop', 'hunter2'],
  ['url-cred', 'sqlplus -s app/hunter2@shop', 'hunter2'],
  ['url-query', 'wss://h/?a=1&ticket=4f9a0c1d2e3b4a5968', '4f9a0c1d2e3b4a5968'],
  ['url-query', 'https://h/b?X-Goog-Signature=hunter2', 'hunter2'],
  ['webhook', 'to=https%3A%2F%2Fhooks.slack.com%2Fservices%2FT0%2FB0%2Fxyz', 'xyz'],
  ['webhook', `https://chat.example/hooks/${token('', 26, 'abc9def')}`, 'abc9def'],
  ['webhook', token('https://alert.victorops.com/integrations/generic/1/alert/', 36), 'aB3dE6'],
  ['model-key', token('gsk_', 52), 'aB3dE6gH9k'],
  ['new-relic', token('NRII-', 32), 'aB3dE6gH9k'],
  ['sentry', token('sntrys_', 60), 'aB3dE6gH9k'],
  ['atlassian', token('ATATT3', 180), 'aB3dE6gH9k'],
  ['postman', `${token('PMAK-', 24, 'abcdef12')}-${token('', 34, 'abcdef12')}`, 'abcdef12'],
  ['dynatrace', `${token('dt0c01.', 24, 'ABC3')}.${token('', 64, 'ABC3')}`, 'ABC3'],
  ['doppler', token('dp.st.prd.', 43), 'aB3dE6gH9k'],
  ['pulumi', token('pul-', 40, '0123456789abcdef'), '0123456789abcdef'],
  ['rubygems', token('rubygems_', 48, '0123456789abcdef'), '0123456789abcdef'],
  ['figma', token('figd_', 40), 'aB3dE6gH9k'],
  ['notion', token('secret_', 43), 'aB3dE6gH9k'],
  ['azure-secret', token('aB38Q~', 34), 'aB3dE6gH9k'],
  ['gitlab', token('gloas-', 64), 'aB3dE6gH9k'],
  ['hash', token('app:$2b$12$', 53), 'aB3dE6gH9k'],
  ['hash', token('$6$salt$', 86), 'aB3dE6gH9k'],
  ['said', `access token ${token('', 32, '0123456789abcdef')} revoked`, '0123456789abcdef'],
  ['said', 'Incorrect API_KEY provided: Zq8vT2kLm4Xw', 'Zq8vT2kLm4Xw'],
  ['element', '<wsse:Password Type="x">hunter2</wsse:Password>', 'hunter2'],
  ['element', '<password><![CDATA[hunter2]]></password>', 'hunter2'],
  ['element', '&lt;password&gt;hunter2&lt;/password&gt;', 'hunter2'],
  ['element', '<entry key="db.password">hunter2</entry>', 'hunter2'],
  ['kv', 'q=a%26password%3Dhun%2Dter2%26x', 'ter2'],
  ['kv', '%7B%22password%22%3A%22hunter2%22%7D', 'hunter2'],
  ['kv', '{&quot;password&quot;: &quot;hunter2&quot;}', 'hunter2'],
  ['kv', '[password] => hunter2', 'hunter2'],
  ['kv', 'config["password"] = "hunter2"', 'hunter2'],
  ['kv', 'password1=hunter2', 'hunter2'],
  ['kv', 'userPass=hunter2', 'hunter2'],
  ['kv', 'license_key: hunter2', 'hunter2'],
  ['kv', `routing_key: "${token('', 32, '0123456789abcdef')}"`, '0123456789abcdef'],
  ['kv', `{"auth":"${Buffer.from('ci:hunter2').toString('base64')}"}`, 'Y2k6'],
  ['option', 'az login --service-principal -u app -p hunter2', 'hunter2'],
  ['option', 'podman login -u ci -phunter2 registry', 'hunter2'],
  ['option', 'cqlsh -u app -p hunter2', 'hunter2'],
  ['option', 'beeline -n app -p hunter2', 'hunter2'],
  ['option', 'ipmitool -U app -P hunter2', 'hunter2'],
  ['option', 'smbclient //h/s -U app%hunter2', 'hunter2'],
  ['option', 'rabbitmqctl change_password app hunter2', 'hunter2'],
  ['option', 'curl -b "sid=hunter2" https://x', 'hunter2'],
  ['option', "ALTER ROLE app PASSWORD 'hunter2'", 'hunter2'],
  ['option', "SET PASSWORD FOR app = PASSWORD('hunter2')", 'hunter2'],
  ['option', 'password "hunter2" does not match', 'hunter2'],
  ['option', 'masterauth hunter2', 'hunter2'],
  ['option', 'machine h login ci password hunter2', 'hunter2'],
];

for (const [rule, text, secret] of positives) {
  test(`redact masks ${rule}: ${JSON.stringify(text.slice(0, 40))}`, () => {
    const redactor = createRedactor({ secrets: [] });
    const masked = redactor.redact(text);
    assert.ok(!masked.includes(secret), masked);
    assert.match(masked, /\[secret-1\]/);
    assert.ok((redactor.counts.get(rule) ?? 0) > 0, [...redactor.counts.keys()].join());
    const { total } = redactor;
    assert.equal(redactor.redact(masked), masked, 'what is masked stays as it is');
    assert.equal(redactor.total, total);
  });
}

const negatives = [
  '3b1c2d4e5f60718a', 'fingerprint 3b1c2d4e5f60718a of 3b1c2d4e5f60718a3b1c2d4e5f60718a',
  '550e8400-e29b-41d4-a716-446655440000', 'web-578fcf4766-9csqn', 'db-0',
  '2026-11-20T10:00:00.000Z', '2026-11-20T02:14:10+01:00', '1763632800',
  'process_cpu_seconds_total', 'token_bucket_size', 'api_key_requests_total 5',
  'kube_secret_info{secret="db"}', 'sum by (secret) (kube_secret_info{namespace="a", secret="db"})',
  'http_requests_total{token="none", code="500"}', 'password_failures_total: 3',
  'histogram_quantile(0.9, sum by (le) (rate(http_seconds_bucket[5m]))) > 0.5',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'registry.example/app@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'http://10.2.0.7:8080/metrics', 'https://prometheus.example/graph?g0.expr=up%3E0&code=500',
  'ratio:http_errors:rate5m', 'max_tokens: 4096', 'tokens=12', 'nopassword', 'token: null',
  'password=${DB_PASSWORD}', 'password: {{ .Values.password }}', 'basic authentication failed',
  'bearer of bad news', 'the secret is out', 'pods.averylongnameofsomething', 'sk-learn',
  'disk-full',
  'task-scheduler-controller-manager', 'author: somebody', 'job="blackbox"', 'container_id',
  'mysql://db:3306/shop', 'a://b c:d@e', 'eyJ short', '[secret-1] stays', 'cookies: many',
  'Check AC0123 and SK12', 's.th. else', 'max(pg_stat_activity_count{service="orders-db"})',
  'BYPASS=something', 'NOPASSWD: ALL', 'second pass: complete', 'pass: 12', 'mysql -p -h db',
  'docker run -u 1000:1000 web', 'cut -d: -f1', '--password --host db', 'proxy_auth: basic',
  'credentials: invalid', 'token: expired', 'invalid token: eof', '--auth off',
  'arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf',
  'sk-learn-model-server-7f9c8d6b5c-abcde', String.raw`{\"query\":\"x{secret=\\\"db\\\"}\"}`,
  'password authentication failed for user "app"', 'https://user@host/path',
  'mysqldump -u root -p', 'docker run -p 8080:80 web', 'mongo --port 27017', 'openssl x509 -in c',
  'compass=north', 'https%3A%2F%2Fhost%3A8080%2Fmetrics', 'oauth=on',
  'user@example.com', 'sessions: 4', 'v1.2.3-rc.1+build.5',
  'failed to fetch token: context deadline exceeded', 'get credentials: connection refused',
  'PWD=/srv/app', 'secret "web-tls" not found', 'the password is wrong', 'token is not Valid2',
  'couldn\'t find key password in Secret shop/db', 'key-value', 'the password of App is',
  'invalid token: unexpected end of JSON', 'E7', '12 minutes', 'p95 is 1.9 s',
  'Unexpected token: punc ())', 'GOOGLE_APPLICATION_CREDENTIALS=/var/secrets/google/key.json',
  'Authorization: denied by policy "p1"', 'missing Authorization: header', 'apikey: absent',
  'authorization=enabled', 'field "password": must be a string', 'password=[REDACTED]',
  'token=[FILTERED]', 'password: (redacted)', '"password":"xxxxx"', 'Token: (unset)',
  '3f786850e387550fdab836ed7e6dc881de23001b3f786850e387550fdab836ed', 'ByPass=on', 'ByPass: on',
  'mongodb://m1:27017,m2:27017/shop?from=a@b', 'http://h:8080/a@b',
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0',
  'routing_key=orders.created', 'service_key: web', '{"auth":"kubernetes"}', '"auth": "Negotiate"',
  'https://grafana.example/?expr=kube_secret_info%7Bsecret%3D%22db%22%7D',
  '/login?next=%2Fpassword',
  'eyJab.eyJhbGciOiJIUzI1', 'eyJoZWxsbyI6IndvcmxkIn0.abcdefghijklmnop',
  `aws_secret_${'ab3d'.repeat(10)}`,
  `aws${' '.repeat(80)}disk 3f786850e387550fdab836ed7e6dc881de23001b`, 'nosecret=yes1',
  'FIRSTPASS: done1', 'firstPASS=done1', 'the token is deprecated-soon',
  'the token is 20261120T101500', '"auth": "AWS4-HMAC-SHA256"', '"auth":"KerberosNegotiate"',
  '"auth":"certificate2"', 'password "" is empty',
  '/browse?ticket=OPS-42', 'GET /hooks/abcdefghijklmnopqrstuvwxyz 200', 'consumer_key=orders',
  'az login failed', 'rabbitmqctl list_users',
  'token sha256 mismatch', 'npm_config_registry', 'secret_rotation_age_seconds', 'x$1$y',
];

for (const text of negatives) {
  test(`redact leaves alone: ${text.slice(0, 50)}`, () => {
    const redactor = createRedactor({ secrets: [] });
    assert.equal(redactor.redact(text), text);
    assert.equal(redactor.total, 0);
  });
}

test('redact masks the same secret alike, and different ones differently', () => {
  const { redact } = createRedactor({ secrets: [] });
  assert.equal(
    redact('password=alpha1 then password=beta2 then secret: "alpha1"'),
    'password=[secret-1] then password=[secret-2] then secret: "[secret-1]"',
  );
  assert.equal(redact('pwd=beta2'), 'pwd=[secret-2]');
});

test('redact masks once where one secret could begin in another', () => {
  const { redact } = createRedactor({ secrets: [] });
  assert.equal(redact('?token=a?token=b&x=1'), '?token=[secret-1]&x=1');
  assert.equal(redact('Cookie: cookie: a=1'), 'Cookie: [secret-2]');
  assert.equal(redact('a://b:c://d:e@f@g'), 'a://b:c://d:[secret-3]@g');
});

test('redact masks what the service itself knows, in every form it is met in', () => {
  const secret = 'k&y/ "ünd" so?n=1!';
  const alignments = ['', 'u', 'us', 'user:'].map((lead) => {
    return Buffer.from(`${lead}${secret} and more`).toString('base64');
  });
  const forms = [
    secret, encodeURIComponent(secret), encodeURIComponent(secret).replaceAll('%20', '+'),
    encodeURIComponent(secret).replace('!', '%21'),
    encodeURIComponent(secret).toLowerCase(), JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'), ...alignments,
  ];
  for (const form of forms) {
    const redactor = createRedactor({ secrets: ['other-secret', secret] });
    const masked = redactor.redact(`x ${form} y`);
    assert.match(masked, /^x .{0,8}\[secret-1\].{0,16} y$/, form);
    assert.deepEqual([...redactor.counts], [['known', 1]]);
  }
});

test('redact masks the longer of two known secrets first, and ignores tiny ones', () => {
  const { redact } = createRedactor({ secrets: ['abcdef', 'abcdefgh', 'abc', ''] });
  assert.equal(redact('abcdefgh abcdef abc'), '[secret-1] [secret-2] abc');
});

test('redact leaves invisible characters of a text without secrets', () => {
  const { redact } = createRedactor({ secrets: [] });
  assert.equal(redact('a\u200bb'), 'a\u200bb');
});

test('redact gives the same for the same texts in the same order', () => {
  const texts = positives.map(([, text]) => text);
  const [first, second] = [0, 1].map(() => {
    const { redact } = createRedactor({ secrets: ['hunter2'] });
    return texts.map((text) => redact(text));
  });
  assert.deepEqual(first, second);
});

test('redactData masks by the name of a member, and inside every text', () => {
  const redactor = createRedactor({ secrets: ['known-value'] });
  const data = {
    labels: {
      db_pass: 'hunter2', db_password: 'hunter2',
      apiKey: 'abc', secret: 'db', pod: 'web-578fcf4766-9csqn',
    },
    lines: ['a known-value b', 'password=hunter2'], value: 1.5, none: null, on: true,
  };
  assert.deepEqual(redactData(data, redactor), {
    labels: {
      db_pass: '[secret-1]', db_password: '[secret-1]',
      apiKey: '[secret-2]', secret: 'db', pod: 'web-578fcf4766-9csqn',
    },
    lines: ['a [secret-3] b', 'password=[secret-1]'], value: 1.5, none: null, on: true,
  });
});

test('redactData ends in data without end', () => {
  let deep: unknown = 'password=hunter2';
  for (let level = 0; level < 100; level += 1) deep = [deep];
  const { redact } = createRedactor({ secrets: [] });
  assert.doesNotMatch(JSON.stringify(redactData(deep, { redact })), /hunter2/);
});
