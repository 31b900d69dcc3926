/**
 * Forms of credentials that real programs write and that public rule sets (those of gitleaks,
 * detect-secrets, trufflehog and GitHub) look for, each in a line as it would be logged.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor } from '../../src/redaction/redactor.ts';

const lower = 'abcdefghijklmnopqrstuvwxyz';
const upper = lower.toUpperCase();
const digits = '0123456789';
const hexDigits = `${digits}abcdef`;
const base62 = `${upper}${lower}${digits}`;
const base64url = `${base62}-_`;

let state = 20261123;

/** As random as a real token, and the same in every run. */
function random(length: number, alphabet = base62): string {
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return alphabet.charAt(Math.floor((state / 2 ** 32) * alphabet.length));
  }).join('');
}

const hex = (length: number): string => random(length, hexDigits);
const url = (length: number): string => random(length, base64url);
const small = (length: number): string => random(length, lower + digits);
const uuid = (): string => [8, 4, 4, 4, 12].map(hex).join('-');
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Tokens that stand bare in a line: their form alone gives them away. */
const tokens: Readonly<Record<string, string>> = {
  '1Password secret key': `A3-${random(6, upper)}-${random(11, upper)}-${random(5, upper)}-` +
    `${random(5, upper)}-${random(5, upper)}`,
  '1Password service account': `ops_eyJ${random(260)}`,
  'Adobe client secret': `p8e-${random(32)}`,
  'age': `AGE-SECRET-KEY-1${random(58, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L')}`,
  'Airtable': `pat${random(14)}.${hex(64)}`,
  'Aiven': `avnadmin avns_${url(20)}`,
  'Alibaba key id': `LTAI${random(20)}`,
  'Anthropic': `sk-ant-api03-${url(93)}AA`,
  'Artifactory key': `AKCp${random(69)}`,
  'Artifactory reference': `cmVmd${random(59)}`,
  'Asana': `1/${random(16, digits)}:${hex(32)}`,
  'Atlassian': `ATATT3${url(180)}`,
  'AWS key id': `AKIA${random(16, `${upper}234567`)}`,
  'AWS Bedrock': `ABSK${random(120)}`,
  'AWS session token': `IQoJb3JpZ2luX2Vj${random(300, `${base62}+/`)}`,
  'Azure client secret': `abc8Q~${url(34)}`,
  'Azure DevOps': `${random(52)}JQQJ99${random(18)}AZDO${random(4)}`,
  'Azure storage key': `${random(86, base62)}==`,
  'Buildkite': `bkua_${hex(40)}`,
  'CircleCI': `CCIPAT_${random(22)}_${hex(40)}`,
  'ClickHouse': `4b1d${random(38)}`,
  'Clojars': `CLOJARS_${small(60)}`,
  'Cloudflare origin': `v1.0-${hex(24)}-${hex(146)}`,
  'Contentful': `CFPAT-${url(43)}`,
  'crates.io': `cio${random(32)}`,
  'Databricks': `dapi${hex(32)}-2`,
  'Defined Networking': `dnkey-${url(26)}-${url(52)}`,
  'DigitalOcean': `dop_v1_${hex(64)}`,
  'Discord bot': `M${random(23)}.${random(6)}.${url(27)}`,
  'Docker': `dckr_oat_${url(32)}`,
  'Docker swarm': `SWMTKN-1-${small(50)}-${small(25)}`,
  'Doppler': `dp.pt.${random(43)}`,
  'Duffel': `duffel_live_${url(43)}`,
  'Dynatrace': `dt0c01.${random(24, upper)}.${random(64, upper)}`,
  'EasyPost': `EZAK${random(54)}`,
  'Elastic API key': base64(`${url(20)}:${url(22)}`),
  'Facebook': `EAAC${random(120)}`,
  'Figma': `figd_${url(40)}`,
  'Fly': `fm2_${random(120)}`,
  'Fly access': `fo1_${url(43)}`,
  'GitHub': `ghp_${random(36)}`,
  'GitHub fine-grained': `github_pat_${random(22)}_${random(59)}`,
  'GitLab': `glpat-${url(20)}`,
  'GitLab routable': `glpat-${url(27)}.01.${small(9)}`,
  'GitLab runner registration': `GR1348941${url(20)}`,
  'GitLab feature flags': `glffct-${url(20)}`,
  'Google API key': `AIza${url(35)}`,
  'Google refresh token': `1//0${url(100)}`,
  'Google OAuth': `ya29.${url(60)}`,
  'Google HMAC id': `GOOG1E${random(55, `${upper}${digits}`)}`,
  'Grafana service account': `glsa_${random(32)}_${hex(8)}`,
  'Grafana API key': `eyJrIjoi${random(80)}`,
  'Groq': `gsk_${random(52)}`,
  'Harness': `pat.${random(22)}.${hex(24)}.${random(20)}`,
  'Heroku': `HRKU-AA${url(58)}`,
  'HubSpot': `pat-na1-${uuid()}`,
  'Hugging Face': `hf_${random(34, upper + lower)}`,
  'Infracost': `ico-${random(32)}`,
  'JWT': `eyJhbGciOiJI${url(10)}.eyJzdWIi${url(40)}.${url(43)}`,
  'JWE': `eyJhbGciOiJSU0Et${url(20)}.${url(80)}.${url(16)}.${url(60)}.${url(22)}`,
  'JWT in base64': base64(`eyJhbGciOiJI${url(10)}.eyJzdWIi${url(40)}.${url(43)}`),
  'kubeadm bootstrap': `--token ${small(6)}.${small(16)}`,
  'LangSmith': `lsv2_pt_${hex(32)}_${hex(10)}`,
  'LaunchDarkly': `sdk-${uuid()}`,
  'Linear': `lin_api_${random(40)}`,
  'Mailchimp': `${hex(32)}-us12`,
  'Mailgun': `key-${hex(32)}`,
  'MaxMind': `${random(6)}_${random(29)}_mmk`,
  'Netlify': `nfp_${random(36)}`,
  'New Relic': `NRAK-${random(27, upper + digits)}`,
  'New Relic licence': `${hex(36)}NRAL`,
  'Notion': `ntn_${random(11, digits)}${random(35)}`,
  'npm': `npm_${random(36)}`,
  'NVIDIA': `nvapi-${url(64)}`,
  'Octopus Deploy': `API-${random(26, upper + digits)}`,
  'OpenAI': `sk-proj-${url(74)}T3BlbkFJ${url(74)}`,
  'OpenShift': `sha256~${url(43)}`,
  'PASETO': `v2.local.${url(80)}`,
  'Perplexity': `pplx-${random(48)}`,
  'Pinecone': `pcsk_${random(60)}`,
  'Plaid': `access-production-${uuid()}`,
  'PlanetScale': `pscale_tkn_${url(43)}`,
  'PostHog': `phx_${random(43)}`,
  'Postman': `PMAK-${hex(24)}-${hex(34)}`,
  'Prefect': `pnu_${random(36)}`,
  'Pulumi': `pul-${hex(40)}`,
  'PyPI': `pypi-AgEIcHlwaS5vcmc${url(80)}`,
  'ReadMe': `rdme_${small(70)}`,
  'Render': `rnd_${random(28)}`,
  'Replicate': `r8_${random(37)}`,
  'Resend': `re_${random(8)}_${random(24)}`,
  'RubyGems': `rubygems_${hex(48)}`,
  'Scalingo': `tk-us-${url(48)}`,
  'SendGrid': `SG.${url(22)}.${url(43)}`,
  'Brevo': `xkeysib-${hex(64)}-${random(16)}`,
  'Sentry': `sntryu_${hex(64)}`,
  'SettleMint': `sm_pat_${random(16)}`,
  'Shippo': `shippo_live_${hex(40)}`,
  'Shopify': `shpat_${hex(32)}`,
  'Slack': `xoxb-${random(12, digits)}-${random(12, digits)}-${random(24)}`,
  'SonarQube': `squ_${hex(40)}`,
  'Sourcegraph': `sgp_${hex(16)}_${hex(40)}`,
  'Square': `sq0atp-${url(22)}`,
  'Square production': `EAAA${url(60)}`,
  'Stripe': `rk_live_${random(24)}`,
  'Supabase': `sbp_${hex(40)}`,
  'Supabase secret': `sb_secret_${url(31)}`,
  'Tailscale': `tskey-auth-${random(16)}-${random(32)}`,
  'Telegram': `${random(10, digits)}:AA${url(33)}`,
  'Terraform Cloud': `${random(14)}.atlasv1.${url(67)}`,
  'Twilio': `SK${hex(32)}`,
  'Typeform': `tfp_${url(44)}_${url(14)}`,
  'Vault': `hvs.${url(90)}`,
  'WireGuard': `PrivateKey = ${random(43, `${base62}+/`)}=`,
  'xAI': `xai-${random(80)}`,
  'Yandex': `AQVN${url(36)}`,
  'bcrypt': `$2b$12$${random(53)}`,
  'apr1': `$apr1$${random(8)}$${random(22)}`,
  'md5crypt': `$1$${random(8)}$${random(22)}`,
  'Django': `pbkdf2_sha256$600000$${random(22)}$${random(43)}=`,
  'SCRAM': `SCRAM-SHA-256$4096:${random(22)}==$${random(43)}=:${random(43)}=`,
  'a bare token': random(40),
  'a bare token of base64url': url(43),
  'a bare token of base64': `${random(43, `${base62}+/`)}=`,
};

/** What is before the part that must not be left. */
const lead = /^(?:--token|avnadmin|PrivateKey =) /;

function isMasked(text: string, secret: string): void {
  const { redact } = createRedactor({ secrets: [] });
  const masked = redact(text);
  // Not a fifth of it may be left in one piece.
  const piece = Math.max(4, Math.ceil(secret.length / 5));
  for (let at = 0; at + piece <= secret.length; at += 1) {
    assert.ok(!masked.includes(secret.slice(at, at + piece)), masked);
  }
  assert.equal(redact(masked), masked, 'what is masked stays as it is');
}

for (const [kind, token] of Object.entries(tokens)) {
  test(`redact masks a token of ${kind}`, () => {
    isMasked(`ERROR upstream said 401 for ${token}, giving up`, token.replace(lead, ''));
  });
}

/** `§` stands for the secret. */
const lines: readonly (readonly [line: string, secret?: string])[] = [
  // Names and values.
  ['password:\n  §'], ['  password: |\n    §\n  user: app'], ['token: >-\n  §'],
  ['stringData:\n  DB_PASSWORD:\n    "§"\n'],
  ['apiVersion: v1\nkind: Secret\ndata:\n  tls.key: §\n', base64('hunter2 and more')],
  ['{"kind":"Secret","data":{"admin":"§"}}', base64('hunter2 and more')],
  ['{Host:db User:app Password:§ Port:5432}'], ['{"password" : ["§"]}'],
  ['&Config{User:"app", Password:"§"}'], ['DataSource[user=app, password=§, ssl=true]'],
  ["{'password': b'§'}"], ["Settings(db_password=SecretStr('§'))"], ["password=u'§'"],
  ['{:password=>"§", :user=>"app"}'], ['<add key="Password" value="§" />'],
  ['<property name="hibernate.connection.password">§</property>'],
  ['<property name="password" value="§"/>'], ['<Setting password="§"/>'],
  ['password = """§"""'], ['password\\: §'], ['export DB_PASSWORD=§'],
  ['declare -x REDIS_PASSWORD="§"'], ['set DB_PASSWORD "§"'], ['ENV DB_PASSWORD §', 'aB3$dE6gH9k'],
  ['GITHUB_PAT=§'], ['VAULT_SECRET_ID=§', uuid()], ['"secret_id": "§"', uuid()],
  ['SLACK_SIGNING_SECRET=§'], ['webhookSecret: §'], ['cookie_secret: "§"'],
  ['DD_API_KEY=§', hex(32)], ['STRIPE_KEY=§', random(24)], ['sasl.jaas.config=x password="§";'],
  ['keystore-password: §'], ['trustStorePassword=§'], ['ssl.keystore.password=§'],
  ['key_passphrase: §'], ['passcode: §'], ['otp=§', '482913'], ['X_AUTH=§'],
  ['"clientSecret":"§"'], ['appsecret=§'], ['app_secret: §'],
  ['creds=app:§'], ['credentials: app/§'],
  ['PASSWORD IS: §', 'Tr0ub4dor3'], ['password is §', 'Tr0ub4dor3'],
  ['default password "§" in use'],
  ['temporary password for root@localhost: §', 'aB3,dE6gH9k'], ['Password changed to §',
  'Tr0ub4dor3'],
  ['Unseal Key 1: §', `${random(43)}=`], ['Initial Root Token: §', `s.${random(24)}`],
  ['otpauth://totp/app?secret=§&issuer=x', random(16, upper)], ['password=§ user=x', 'Tr0ub4dor&3'],
  ['password=§ user=x', 'a1,b2;c3'], ['passwd="§"', "it's 1"], ['password: §', 'p)a}s]s1'],
  ['token = §', hex(32)], ['auth_token: §', hex(32)], ['access_token=§;', url(30)],
  ['secret_access_key: §', random(40)], ['aws_session_token=§', random(200)],
  ['aws configure set aws_secret_access_key §', random(40)],
  ['SharedAccessKeyName=root;SharedAccessKey=§', `${random(43)}=`],
  ['SharedAccessSignature=sr=x&sig=§&se=1', random(43)],
  ['machineKey validationKey="§"', hex(64)], ['encryptionKey: §', hex(64)],
  ['fernet_key = §', `${url(43)}=`], ['jwt_secret: §'], ['JWT_SIGNING_KEY=§'],
  ['hmac secret §', hex(32)], ['Bearer token §', url(30)], ['consul acl token §', uuid()],
  ['{"name":"DB_PASS","value":"§"}'], ['- name: APP_KEY\n  value: §', random(30)],
  ['wpa_passphrase=§'], ['psk="§"'], ['snmp_community: §'],
  ['userPassword:: §', base64('hunter2!')],
  // As real programs log them.
  ['Failed to log in: user=a@b.example, pass=§', 'Qw3rty!9z'], ['user=app password="§"',
  'p@ss w0rd'],
  ["psycopg2.connect(host='db', user='shop', password='§')"], ['> X-Api-Token: §\n> Accept: */*'],
  ["boto3.client('s3', aws_secret_access_key='§')", random(40)], ['token value §', 'r4bb1tXy9Z'],
  ['ConnectionString Server=tcp:db;User ID=sa;Password=§;Encrypt=True', 'Zx!9#kQ2'],
  ['    Environment:\n      DB_PASSWORD:  §\n      DB_HOST: db'], ['SMTP_PASSWORD §', 'r4bb1tXy9Z'],
  ['users:\n- name: admin\n  user:\n    token: §'], ['[("authorization", "Bearer §")]'],
  ["{ headers: { Authorization: 'Bearer §' } }"], ["auth: { username: 'u', password: '§' }"],
  ['desc = invalid token "§"', small(20)], ['unseal key (will be hidden): §', `${random(43)}=`],
  ['Set-Cookie: connect.sid=s%3A§; Path=/'], ['sessionid=§; csrftoken=x', hex(20)],
  ['{"body":"{\\"user\\":\\"a\\",\\"password\\":\\"§\\"}"}'], ['ansible_become_pass: §'],
  ['grant_type=password&username=a&password=§'], ['client_secret=§&grant_type=x'],
  ['refresh_token: §', `0.AXEAr-${url(30)}`], ['tls.key: |\n  -----BEGIN PRIVATE KEY-----\n  §\n'],
  ['334 VXNlcm5hbWU6\nC: AUTH LOGIN §', base64('app@example.com')],
  ['AWS_SECRET_KEY=§', random(40)],
  ['passphrase for key "/root/.ssh/id": §', 'r4bb1tXy9Z'], ['encryption.key=§', hex(32)],
  ['setProperty("db.password", "§")'], ['AccessToken{value=§, expires=1}'], ['pw: §'],
  ['mot_de_passe=§'], ['Contraseña: §'], ['Passwort: §'], ['OAuth2Token [value=§]'],
  ["'authorization', 'Bearer §', 'x-request-id', '1'"], ['map[X-Api-Key:[§] Accept:[*/*]]'],
  ["b'GET / HTTP/1.1\\r\\nAuthorization: Basic §\\r\\nHost: x\\r\\n'"], ['db_password      = "§"'],
  ['ConvertTo-SecureString "§" -AsPlainText'], ["DBI->connect('dbi:Pg:dbname=x','app','§')"],
  ['MySQLdb.connect("db", "app", "§")'], ["'auth': ('app', '§')"], ['auth=("app", "§")'],
  ['HTTPBasicAuth("app", "§")'], ['SetBasicAuth("app", "§")'], ['login("app", "§")'],
  ['username admin password 0 §', 'Zq8vT2kLm4'], ['enable secret 5 §', 'Zq8vT2kLm4'],
  [': PSK "§"'], ['user: app, pass: §'], ['olcRootPW: §'], ['GITLAB_PAT: §'], ['psw=§'],
  ['credential invalid: §', random(40)],
  ['the api key § is invalid', 'Zq8vT2kLm4'], ['API key: §', hex(32)], ['CI_JOB_TOKEN=§'],
  ['"Env":["PATH=/bin","DB_PASSWORD=§"]'], ["app.secret_key = b'§'"], ['HELLO 3 AUTH default §'],
  // Headers, as servers, clients and proxies log them.
  ['> Authorization: Basic §', base64('app:hunter2')], ['* [HTTP/2] [1] [authorization: Bearer §]'],
  ['< Set-Cookie: sid=§; Path=/; HttpOnly'], ['Cookie: a=1; session=§'],
  ['> X-Vault-Token: §', `hvs.${url(24)}`], ['> X-Consul-Token: §', uuid()],
  ['X-Auth-Key: §', hex(37)], ['X-Shopify-Access-Token: §'], ['X-Goog-Api-Key: §'],
  ['Ocp-Apim-Subscription-Key: §', hex(32)], ['DD-APPLICATION-KEY: §', hex(40)],
  ['X-Amz-Security-Token: §', random(100)], ['X-CSRF-Token: §', url(30)], ['PRIVATE-TOKEN: §'],
  ['X-Gitlab-Token: §'], ['X-Api-Secret: §'],
  ['Proxy-Authorization: Negotiate §', random(80)], ['authorization: §', random(30)],
  ["headers={'Authorization': 'Bearer §'}"], ['map[Authorization:[Bearer §]]'],
  ['map[Cookie:[sid=§] Host:[x]]'], ['{"x-api-key":["§"]}'], ['Authorization: ApiKey §'],
  ['Authorization: AWS4-HMAC-SHA256 Credential=AKIA/x, Signature=§', hex(64)],
  ['"Authorization" => "Bearer §"'], ['authorization=[Bearer §]'], ['-H "X-Token: §"'],
  ['header Authorization: token §', hex(40)], ['Authorization:Bearer+§'],
  ['Sec-WebSocket-Protocol: bearer, §', url(40)],
  ['HTTP_AUTHORIZATION="Basic §"', base64('a:hunter2')],
  // Addresses.
  ['postgres://app:§@db/shop', 'p%40ss#1'], ['mongodb+srv://app:§@c0.example/x', 'p/s?s1'],
  ['redis://:§@cache:6379/0'], ['amqp://app:§@mq//', 'a:b:c1'], ['https://x-token:§@git/x.git'],
  ['https://§@github.com/a/b.git', `ghp_${random(36)}`], ['http://app:§@[::1]:80/', 'h(u)n{t}3'],
  ['smtp://a%40b:§@mail:587'], ['jdbc:mysql://db/x?user=a&password=§&ssl=1'],
  ['jdbc:sqlserver://db;user=sa;password=§;encrypt=true', 'aB3$dE6gH9k'],
  ['Server=db;Uid=app;Pwd=§;Encrypt=1'],
  ['app/§@//db:1521/shop', 'Tr0ub4dor3'], ['ftp://app:§@h/x'], ['snowflake://a:§@acc/db'],
  ['https://h/x?sv=1&sig=§', encodeURIComponent(`${random(43)}=`)], ['/cb?state=1&code=§', url(43)],
  ['/reset-password/§', url(43)], ['/invite?t=§', url(43)], ['wss://h/?jwt=§', random(30)],
  ['https://h/?apikey=§'], ['https://h/?key=§', random(39)], ['https://h/?access_key=§'],
  ['https://sentry.example/1?sentry_key=§', hex(32)], ['https://h/x#access_token=§', url(40)],
  ['https://app:§@h/ and http://u:b@g/'], ['git clone https://oauth2:§@gitlab.example/x'],
  ['dial tcp: lookup app:§@tcp(db:3306)'], ['app:§@unix(/tmp/x)'],
  // Commands and protocols.
  ['wget --http-password=§'], ['mysql -u root -p§ shop'], ['psql "host=db password=§"'],
  ['htpasswd -b f app §'], ['kubectl --token=§'], ['vault login §', `s.${random(24)}`],
  ['gpg --batch --passphrase §'], ['zip -P § a.zip b'], ['unzip -P § a.zip'], ['7z x -p§ a.7z'],
  ['curl -u app:§ h'], ['curl --user "app:§" h'], ['curl -H "X-Key: §"', random(30)],
  ['curl -d "user=a&password=§" h'], ['sshpass -p § ssh h'],
  ['openssl enc -aes-256-cbc -k § -in x'],
  ['redis: AUTH §', 'Tr0ub4dor3'], ['AUTH app §', 'Tr0ub4dor3'],
  ['AUTH PLAIN §', base64('\0a\0hunter2')],
  ['a1 LOGIN app "§"'], ['CONFIG SET requirepass §'],
  ["ALTER USER 'a'@'%' IDENTIFIED BY '§'"], ["CREATE ROLE a LOGIN PASSWORD '§'"],
  ["CREATE USER a WITH ENCRYPTED PASSWORD '§'"], ['net use z: \\\\h\\s /user:a §', 'Tr0ub4dor3'],
  ["CREATE LOGIN a WITH PASSWORD = '§'"], ["IDENTIFIED WITH sha256_password BY '§'"],
  ["PDO->__construct('mysql:host=db', 'app', '§')"], ['kubeadm join 10.0.0.1:6443 --token §',
    `${small(6)}.${small(16)}`], ['helm upgrade --set auth.rootPassword=§'],
  ['docker run -e MYSQL_ROOT_PASSWORD=§ x'], ['--from-literal=token=§'],
  ['-Djavax.net.ssl.keyStorePassword=§'],
  ['-DapiKey=§'], ['--api-token §'], ['--client-secret §'], ['--bearer-token §'],
  ['mongosh --password §'], ['rsync --password-file=x RSYNC_PASSWORD=§'],
  ['restic RESTIC_PASSWORD=§'],
  // Files.
  ['{"auths":{"r":{"auth":"§"}}}', base64('ci:hunter2')],
  ['{"private_key":"-----BEGIN PRIVATE KEY-----\\n§\\n-----END', random(64)],
  ['-----BEGIN OPENSSH PRIVATE KEY-----\n§', random(60)], ['client-key-data: §', random(80)],
  ['-----BEGIN EC PRIVATE KEY-----\\nMHcC\\n§', random(64)],
  [`${random(64)}\n§\n-----END RSA PRIVATE KEY-----`, random(30)],
  ['-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n§', random(64)],
  ['//registry.npmjs.org/:_authToken=§', uuid()],
  ['//r.example/:_password=§', base64('hunter2x')], ['_auth=§', base64('ci:hunter2')],
  ['machine h login a password §'], ['machine h\n  login a\n  password §'],
  ['root:§:19000:0:99999:7:::', `$6$${random(8)}$${random(86)}`], ['token: §',
  `k8s-aws-v1.${url(80)}`],
];

for (const [line, secret = 'hunter2X9'] of lines) {
  test(`redact masks the secret of ${JSON.stringify(line.slice(0, 60))}`, () => {
    isMasked(line.replace('§', () => secret), secret);
  });
}
