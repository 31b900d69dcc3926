import assert from 'node:assert/strict';
import { test } from 'node:test';
import { misspelled } from '../../src/config/misspelled.ts';
import { ConfigError, loadModel, loadSettings } from '../../src/config/settings.ts';
import type { Environment } from '../../src/config/variables.ts';

function doubtsOf(environment: Environment): readonly string[] {
  const { warnings } = loadSettings(environment, { cores: 4, isTerminal: false });
  return warnings.filter((warning) => warning.includes('is not a setting'));
}

const meant: readonly (readonly [string, string])[] = [
  ['PROMETHEUS_ULR', 'PROMETHEUS_URL'],
  ['PROMETHUES_URL', 'PROMETHEUS_URL'],
  ['PROMETEUS_URL', 'PROMETHEUS_URL'],
  ['prometheus_url', 'PROMETHEUS_URL'],
  ['prometheusUrl', 'PROMETHEUS_URL'],
  ['PROMETHEUS-URL', 'PROMETHEUS_URL'],
  ['PROMETHEUS_URL_FILE', 'PROMETHEUS_URL'],
  ['PROMETHEUS_BASE_URL', 'PROMETHEUS_URL'],
  ['PROMETHEUS_USERNAME', 'PROMETHEUS_USER'],
  ['PROMETHEUS_TIMEOUT', 'PROMETHEUS_TIMEOUT_SECONDS'],
  ['AM_URL', 'ALERTMANAGER_URL'],
  ['ALERT_MANAGER_URL', 'ALERTMANAGER_URL'],
  ['promUrl', 'PROMETHEUS_URL'],
  ['LOKI_ADDR', 'LOKI_URL'],
  ['LOKI_ADDRESS', 'LOKI_URL'],
  ['LOKI_ENDPOINT', 'LOKI_URL'],
  ['LOKI_URI', 'LOKI_URL'],
  ['READ_PASS', 'READ_PASSWORD'],
  ['BODY_LIMIT', 'BODY_LIMIT_BYTES'],
  ['LOG_LVL', 'LOG_LEVEL'],
  ['ACES_TOKEN', 'ACCESS_TOKEN'],
  ['RETENTION_REPORT', 'RETENTION_REPORTS'],
  ['ACESS_TOKEN', 'ACCESS_TOKEN'],
  ['ACESS_TOKEN_FILE', 'ACCESS_TOKEN_FILE'],
  ['READ_PASSWD', 'READ_PASSWORD'],
  ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
  ['WORKER_MEMORY', 'WORKER_MEMORY_MB'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['port', 'PORT'],
];

for (const [name, setting] of meant) {
  test(`loadSettings() takes ${name} for a misspelled ${setting}`, () => {
    assert.deepEqual(doubtsOf({ [name]: 'x' }), [
      `${name} is not a setting and has no effect (did you mean ${setting}?)`,
    ]);
  });
}

test('loadSettings() does not warn of a look-alike when the setting itself is set', () => {
  assert.deepEqual(doubtsOf({ AM_URL: 'x', ALERTMANAGER_URL: 'http://am' }), []);
  assert.deepEqual(doubtsOf({ ACCESS_TOKENS: 'x', ACCESS_TOKEN: 'a-token-of-some-length' }), []);
  assert.deepEqual(doubtsOf({ PROMETHEUS_ULR: '' }), []);
});

test('loadSettings() takes a short word with two wrong letters for another word', () => {
  assert.deepEqual(doubtsOf({ READ_UXSR: 'x', READ_UER: 'x' }), [
    'READ_UER is not a setting and has no effect (did you mean READ_USER?)',
  ]);
});

test('misspelled() never takes a setting for a misspelling of another', () => {
  const settings = ['LOG_LEVEL', 'LOG_LEVELS'].map((name) =>
    ({ name, help: '', fallback: '', group: '', isSecret: false }));
  assert.deepEqual(misspelled({ LOG_LEVELS: 'x' }, settings), []);
});

test('a misspelling is reported together with the setting that is missing', () => {
  const environment = { MODEL_PROVIDER: 'openai', MODEL_NMAE: 'm', MODEL_API_KEY: 'k' };
  const load = [
    () => loadSettings(environment, { cores: 4, isTerminal: false }),
    () => loadModel(environment),
  ];
  for (const each of load) {
    assert.throws(each, (error) => {
      assert.ok(error instanceof ConfigError);
      assert.deepEqual(error.problems, [
        'MODEL_PROVIDER=openai needs MODEL_NAME',
        'MODEL_NMAE is not a setting and has no effect (did you mean MODEL_NAME?)',
      ]);
      return true;
    });
  }
});

/** What shells, systemd, docker, Kubernetes, CI and common programs set. */
const ordinary = `
  _ CI COLUMNS COLORTERM DATABASE_URL DBUS_SESSION_BUS_ADDRESS DEBIAN_FRONTEND DISPLAY EDITOR HOME
  HOSTNAME HOSTTYPE LANG LANGUAGE LC_ALL LESSOPEN LOGNAME LS_COLORS MAIL MANPATH NO_COLOR OLDPWD
  OSTYPE PAGER PATH PS1 PWD SHELL SHLVL SSH_AUTH_SOCK SSH_CLIENT SSH_CONNECTION SSH_TTY SUDO_USER
  TERM TMPDIR TZ USER VENDOR XDG_CONFIG_HOME XDG_DATA_DIRS XDG_RUNTIME_DIR XDG_SESSION_ID
  http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY
  CACHE_DIRECTORY CONFIGURATION_DIRECTORY CREDENTIALS_DIRECTORY INVOCATION_ID JOURNAL_STREAM
  LISTEN_FDNAMES LISTEN_FDS LISTEN_PID LOGS_DIRECTORY MAINPID MANAGERPID MEMORY_PRESSURE_WATCH
  NOTIFY_SOCKET RUNTIME_DIRECTORY STATE_DIRECTORY SYSTEMD_EXEC_PID SYSTEMD_LOG_LEVEL WATCHDOG_PID
  WATCHDOG_USEC REAL_USER RLOG_LEVEL GLOG_LEVEL RUST_LOG LOG_FILE LOG_DIR DEBUG VERBOSE
  MALLOC_MMAP_THRESHOLD_ MALLOC_TRIM_THRESHOLD_
  NODE_ENV NODE_EXTRA_CA_CERTS NODE_OPTIONS NODE_PATH NODE_VERSION NPM_CONFIG_LOGLEVEL
  npm_config_cache npm_config_user_agent npm_lifecycle_event npm_package_name YARN_VERSION UV_CACHE
  SSL_CERT_DIR SSL_CERT_FILE SSL_KEY_FILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE TLS_CA_FILE
  DOCKER_HOST DOCKER_TLS_VERIFY DOCKER_CERT_PATH COMPOSE_PROJECT_NAME PUID PGID container
  KUBERNETES_PORT KUBERNETES_PORT_443_TCP KUBERNETES_PORT_443_TCP_ADDR KUBERNETES_PORT_443_TCP_PORT
  KUBERNETES_PORT_443_TCP_PROTO KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT
  KUBERNETES_SERVICE_PORT_HTTPS KUBECONFIG POD_IP POD_NAME POD_NAMESPACE NODE_NAME HOST_IP
  PROMETHEUS_PORT PROMETHEUS_PORT_9090_TCP PROMETHEUS_PORT_9090_TCP_ADDR PROMETHEUS_SERVICE_HOST
  PROMETHEUS_SERVICE_PORT PROMETHEUS_SERVICE_PORT_WEB PROMETHEUS_NAME PROMETHEUS_ENV_VERSION
  PROMETHEUS_VERSION PROMETHEUS_SERVER_SERVICE_HOST PROMETHEUS_MULTIPROC_DIR
  ALERTMANAGER_PORT ALERTMANAGER_SERVICE_HOST ALERTMANAGER_SERVICE_PORT ALERTMANAGER_VERSION
  ALERTMANAGER_MAIN_PORT_9093_TCP LOKI_PORT LOKI_SERVICE_HOST LOKI_READ_PORT MODEL_PORT
  MODEL_SERVICE_HOST ALERT_ANALYST_PORT ALERT_ANALYST_SERVICE_HOST FOO_SERVICE_HOST READ_PORT
  GITHUB_ACTIONS GITHUB_ACTOR GITHUB_API_URL GITHUB_SERVER_URL GITHUB_TOKEN GITHUB_WORKSPACE
  RUNNER_OS RUNNER_TEMP RUNNER_TOOL_CACHE RUNNER_USER ImageOS ImageVersion GITLAB_CI GITLAB_USER_ID
  CI_API_V4_URL CI_BUILD_TOKEN CI_JOB_NAME CI_JOB_TOKEN CI_JOB_URL CI_PIPELINE_URL CI_PROJECT_DIR
  CI_PROJECT_URL CI_REGISTRY_PASSWORD CI_REGISTRY_USER CI_RUNNER_TAGS CI_SERVER_HOST CI_SERVER_PORT
  CI_SERVER_URL BUILD_NUMBER BUILD_TAG BUILD_URL GIT_BRANCH GIT_URL JENKINS_URL JOB_NAME JOB_URL
  NODE_LABELS RUN_DISPLAY_URL WORKSPACE AGENT_JOBNAME AGENT_NAME SYSTEM_HOSTTYPE SYSTEM_ACCESSTOKEN
  BUILD_REPOSITORY_URI CIRCLE_BUILD_URL BUILDKITE_AGENT_ACCESS_TOKEN TEAMCITY_VERSION
  AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AZURE_CLIENT_ID
  GOOGLE_APPLICATION_CREDENTIALS OPENAI_API_KEY OPENAI_BASE_URL ANTHROPIC_API_KEY VAULT_ADDR
  VAULT_TOKEN GRAFANA_URL BASE_URL REPORT_DIR DYNO WEB_CONCURRENCY WORKER PORT_BASE HOSTS TOKEN
`.split(/\s+/).filter((name) => name !== '');

test('loadSettings() warns of no variable that other programs use', () => {
  assert.ok(ordinary.length > 200);
  assert.deepEqual(doubtsOf(Object.fromEntries(ordinary.map((name) => [name, 'x']))), []);
});
