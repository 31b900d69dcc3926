import assert from 'node:assert/strict';
import {
  appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { sampleNotification } from '../../scripts/samples.ts';
import { findProgram, runProgram } from '../support/programs/programs.ts';
import { startAnalyst } from '../support/programs/running-analyst.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const installer = join(process.cwd(), 'scripts/deploy/install.sh');

interface Installed {
  readonly root: string;
  readonly install: (...flags: string[]) => Promise<{ status: number | null; output: string }>;
}

function prepare(): Installed {
  const root = temporaryDirectory();
  return {
    root,
    install: (...flags) =>
      runProgram('/bin/sh', [installer, '--from', process.cwd(), '--prefix', root, ...flags]),
  };
}

/** An install.sh that checks the settings below another root as well. */
function checkedInstaller(): string {
  const file = join(temporaryDirectory(), 'install.sh');
  writeFileSync(file, readFileSync(installer, 'utf8')
    .replace(/^here=.*/m, `here=${join(process.cwd(), 'scripts/deploy')}`)
    .replace('.env" ] && is_system ||', '.env" ] ||'));
  return file;
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

test('install.sh refuses a folder without a build', async () => {
  const { install } = prepare();
  const { status, output } = await install('--from', temporaryDirectory());
  assert.equal(status, 1);
  assert.match(output, /Cannot find .*dist\/main\.js: build first/);
});

test('install.sh refuses an unknown argument and a node that does not run', async () => {
  const { install } = prepare();
  assert.equal((await install('--unknown')).status, 1);
  const { status, output } = await install('--node', '/bin/false');
  assert.equal(status, 1);
  assert.match(output, /Cannot run \/bin\/false/);
});

test('install.sh writes an absolute path to node into the unit', async () => {
  const { root, install } = prepare();
  const { status, output } = await install('--node', relative('', process.execPath));
  assert.equal(status, 0, output);
  const unit = readFileSync(join(root, 'etc/systemd/system/alert-analyst.service'), 'utf8');
  assert.ok(unit.includes(`\nExecStart=${process.execPath} /opt/`), unit);
});

test('install.sh --dry-run changes nothing', async () => {
  const { root, install } = prepare();
  const { status, output } = await install('--dry-run');
  assert.equal(status, 0, output);
  assert.match(output, /would run: cp -R/);
  for (const folder of ['opt', 'etc', 'var']) assert.ok(!existsSync(join(root, folder)));
});

test('the service that install.sh puts in place runs and requires the token', async (t) => {
  const { root, install } = prepare();
  const { status, output } = await install();
  assert.equal(status, 0, output);
  for (const told of [/credentials_file:/, /REPORT_BASE_URL/, /the drill in \S+README\.md/]) {
    assert.match(output, told);
  }
  const tokenFile = join(root, 'etc/alert-analyst/token');
  assert.match(readFileSync(tokenFile, 'utf8'), /^[0-9a-f]{64}\n$/);
  assert.equal(modeOf(tokenFile), '600');
  const settingsFile = join(root, 'etc/alert-analyst/alert-analyst.env');
  assert.equal(modeOf(settingsFile), '600');
  const passwordFile = join(root, 'etc/alert-analyst/password');
  const password = readFileSync(passwordFile, 'utf8').trim();
  assert.match(password, /^[0-9a-f]{20}$/);
  assert.equal(modeOf(passwordFile), '600');
  const settings = readFileSync(settingsFile, 'utf8').match(/^READ_\w+=.*$/gm);
  assert.deepEqual(settings, [
    'READ_USER=oncall', 'READ_PASSWORD_FILE=/etc/alert-analyst/password',
  ]);
  assert.equal(modeOf(join(root, 'var/lib/alert-analyst')), '700');

  const { url } = await startAnalyst({
    main: join(root, 'opt/alert-analyst/dist/main.js'),
    dataDirectory: join(root, 'var/lib/alert-analyst'),
    env: {
      ACCESS_TOKEN_FILE: tokenFile, READ_USER: 'oncall', READ_PASSWORD_FILE: passwordFile,
    },
  }, t);
  const body = JSON.stringify(sampleNotification('firing', 1, Date.now()));
  assert.equal((await fetch(`${url}/webhook`, { method: 'POST', body })).status, 401);
  const authorization = `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`;
  const accepted = await fetch(`${url}/webhook`, {
    method: 'POST',
    body,
    headers: { authorization },
  });
  assert.equal(accepted.status, 200);
  const { report_urls: [link] } = (await accepted.json()) as {
    report_urls: { fingerprint: string }[];
  };
  const feedback = (headers: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(`${url}/report/${link?.fingerprint}/1/feedback`, {
      method: 'POST', body: JSON.stringify({ verdict: 'right' }),
      headers: { 'content-type': 'application/json', ...headers },
    });
  const refused = await feedback({});
  assert.equal(refused.status, 401);
  assert.match(refused.headers.get('www-authenticate') ?? '', /^Basic /, 'a browser asks for it');
  const login = Buffer.from(`oncall:${password}`).toString('base64');
  assert.ok((await feedback({ authorization: `Basic ${login}` })).ok);
});

test('install.sh has everything on the disk before it is put in place or used', async () => {
  const { install } = prepare();
  const { output } = await install('--dry-run');
  assert.match(output, /cp -R [^]*run: sync -f \S+\.new\n[^]*run: mv \S+\.new /);
  assert.match(output, /\.env\n[^]*\.service\n[^]*run: sync -f \S+\/etc\/alert-analyst\n/);
});

test('install.sh completes an installation that was cut short', async () => {
  const { root, install } = prepare();
  const [broken, settings] = [temporaryDirectory(), join(root, 'etc/alert-analyst')];
  writeFileSync(join(broken, 'install'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const script = ['PATH="$0:$PATH" exec /bin/sh "$@"', broken, installer];
  const cut = await runProgram('/bin/sh', [
    '-c', ...script, '--from', process.cwd(), '--prefix', root,
  ]);
  assert.notEqual(cut.status, 0);
  assert.ok(!existsSync(join(settings, 'alert-analyst.env')));
  const password = readFileSync(join(settings, 'password'), 'utf8');
  const { status, output } = await install();
  assert.equal(status, 0, output);
  assert.ok(existsSync(join(settings, 'alert-analyst.env')));
  assert.equal(readFileSync(join(settings, 'password'), 'utf8'), password);
});

test('install.sh makes the secrets that settings placed before it name', async () => {
  const { root } = prepare();
  const folder = join(root, 'etc/alert-analyst');
  mkdirSync(folder, { recursive: true });
  const password = join(folder, 'password');
  const placed = `PORT=80\nREAD_USER=oncall\nREAD_PASSWORD_FILE=${password}\n`;
  writeFileSync(join(folder, 'alert-analyst.env'), placed);
  const install = [checkedInstaller(), '--from', process.cwd(), '--prefix', root];
  const { status, output } = await runProgram('/bin/sh', install);
  assert.equal(status, 0, output);
  assert.match(output, /Configuration is valid[^]*\.env \(kept\)[^]*\nNext:/);
  assert.deepEqual([modeOf(password), modeOf(join(folder, 'token'))], ['600', '600']);
  rmSync(password);
  writeFileSync(join(folder, 'alert-analyst.env'), 'PORT=80\n');
  assert.equal((await runProgram('/bin/sh', install)).status, 0);
  assert.ok(!existsSync(password), 'an upgrade makes none that the settings no longer name');
});

test('install.sh makes nothing that others can write to, whatever the umask', async () => {
  const { root } = prepare();
  const watched = temporaryDirectory();
  for (const name of ['mv', 'chmod']) {
    const script = ['#!/bin/sh', `find '${root}' -perm /022 >>'${watched}/found'`,
      `exec /bin/${name} "$@"`, ''];
    writeFileSync(join(watched, name), script.join('\n'), { mode: 0o755 });
  }
  const { status, output } = await runProgram('/bin/sh', [
    '-c', 'umask 0; PATH="$0:$PATH" exec /bin/sh "$@"', watched, installer,
    '--from', process.cwd(), '--prefix', root,
  ]);
  assert.equal(status, 0, output);
  assert.equal(readFileSync(join(watched, 'found'), 'utf8'), '');
});

test('install.sh refuses a systemd that is too old before it changes anything', async () => {
  const old = temporaryDirectory();
  writeFileSync(join(old, 'systemctl'), '#!/bin/sh\necho "systemd 245 (245.4)"\n', { mode: 0o755 });
  const script = readFileSync(installer, 'utf8').replace('-d /run/systemd/system', '-d /');
  const file = join(old, 'install.sh');
  writeFileSync(file, script);
  const planned = [file, '--from', process.cwd(), '--dry-run'];
  const { status, output } = await runProgram('/bin/sh', planned, {
    env: { PATH: `${old}:${process.env['PATH']}` },
  });
  assert.equal(status, 1);
  assert.match(output, /^install\.sh: systemd 247 or later is required [^\n]+\n$/);
});

test('install.sh keeps settings and token on upgrade and on --uninstall', async () => {
  const { root, install } = prepare();
  await install();
  const tokenFile = join(root, 'etc/alert-analyst/token');
  const settingsFile = join(root, 'etc/alert-analyst/alert-analyst.env');
  appendFileSync(settingsFile, 'PORT=9999\n');
  const [token, settings] = [readFileSync(tokenFile, 'utf8'), readFileSync(settingsFile, 'utf8')];
  const { status, output } = await install();
  assert.equal(status, 0, output);
  assert.match(output, /token \(kept\)/);
  assert.doesNotMatch(output, /REPORT_BASE_URL|credentials_file/, 'the first steps are for once');
  const planned = await install('--uninstall', '--dry-run');
  assert.doesNotMatch(planned.output, /^(removed|kept)/m, 'nothing was done');
  assert.match(planned.output, /^would remove: \S+\/opt\/alert-analyst$/m);
  const removed = await install('--uninstall');
  assert.equal(removed.status, 0);
  assert.doesNotMatch(removed.output, /user/, 'below another root none was made');
  assert.match(removed.output, /^removed: \S+\/alert-analyst\.service$/m);
  assert.doesNotMatch(removed.output, /installed but not started/);
  assert.equal(readFileSync(tokenFile, 'utf8'), token);
  assert.equal(readFileSync(settingsFile, 'utf8'), settings);
  assert.ok(existsSync(join(root, 'var/lib/alert-analyst')));
  for (const gone of ['opt/alert-analyst', 'etc/systemd/system/alert-analyst.service']) {
    assert.ok(!existsSync(join(root, gone)), `${gone} is gone`);
  }
});

test('install.sh keeps the program it replaces, and --rollback swaps the two', async () => {
  const { root, install } = prepare();
  const none = await install('--rollback');
  assert.equal(none.status, 1);
  assert.match(none.output, /No earlier version is kept/);
  await install();
  const mark = (program: string): string => join(root, 'opt', program, 'mark');
  writeFileSync(mark('alert-analyst'), 'the first');
  await install();
  await install();
  assert.ok(!existsSync(mark('alert-analyst')) && existsSync(mark('alert-analyst.old')),
    'kept also when the same version is installed again');
  const { status, output } = await install('--rollback');
  assert.equal(status, 0, output);
  assert.ok(existsSync(mark('alert-analyst')) && !existsSync(mark('alert-analyst.old')));
  await install('--rollback');
  assert.ok(existsSync(mark('alert-analyst.old')), 'and back again');
});

test('install.sh --rollback completes a rollback that was cut short', async () => {
  const { root, install } = prepare();
  await install();
  const program = join(root, 'opt/alert-analyst');
  writeFileSync(join(program, 'mark'), 'the first');
  await install();
  // Stands for a machine that goes down at that step: of three renames only so many are done.
  const cutShort = join(temporaryDirectory(), 'install.sh');
  for (const done of [0, 1, 2]) {
    const counting = `left=${done}
      run() {
      [ "$1" != mv ] || { [ $left -gt 0 ] && left=$((left - 1)); } || exit 9`;
    writeFileSync(cutShort, readFileSync(installer, 'utf8').replace(/^run\(\) \{$/m, counting));
    const cut = await runProgram('/bin/sh', [cutShort, '--rollback', '--prefix', root]);
    assert.equal(cut.status, 9, cut.output);
    const { status, output } = await install('--rollback');
    assert.equal(status, 0, output);
    assert.ok(existsSync(join(program, 'mark')), `after ${done} renames`);
    assert.deepEqual(readdirSync(join(root, 'opt')).sort(), ['alert-analyst', 'alert-analyst.old']);
    await install('--rollback');
    assert.ok(existsSync(join(`${program}.old`, 'dist')) && !existsSync(join(program, 'mark')));
  }
});

test('install.sh replaces no program by one that refuses the settings', async () => {
  const { root, install } = prepare();
  await install();
  const settingsFile = join(root, 'etc/alert-analyst/alert-analyst.env');
  const upgrade = [checkedInstaller(), '--from', process.cwd(), '--prefix', root];
  const program = join(root, 'opt/alert-analyst');
  for (const [settings, installedExits, expected] of [
    ['PORT=eighty', 0, /PORT[^]*refuses the settings: nothing was changed/],
    ['PORT=eighty', 2, /PORT[^]*refuses these settings as well, so it is replaced/],
    ['PORT=80', 2, /program: /],
  ] as const) {
    writeFileSync(join(program, 'mark'), '');
    writeFileSync(join(program, 'dist/main.js'), `process.exit(${installedExits})`);
    writeFileSync(settingsFile, `${settings}\n`);
    const { status, output } = await runProgram('/bin/sh', upgrade);
    assert.match(output, expected);
    const isKept = installedExits === 0;
    assert.deepEqual([status, existsSync(join(program, 'mark'))], [isKept ? 1 : 0, isKept]);
  }
});

test('install.sh --socket adds the socket unit, and upgrades keep it', async () => {
  const { root, install } = prepare();
  const unit = join(root, 'etc/systemd/system/alert-analyst.socket');
  await install();
  assert.ok(!existsSync(unit));
  await install('--socket');
  const { output } = await install();
  assert.match(output, /unit: .*alert-analyst\.socket/);
  const analyze = findProgram('systemd-analyze', 'systemd');
  const service = join(root, 'etc/systemd/system/alert-analyst.service');
  const verified = await runProgram(analyze, ['verify', unit, service]);
  assert.deepEqual([verified.status, verified.output], [0, '']);
  await install('--uninstall');
  assert.ok(!existsSync(unit));
});

test('the installed unit is valid and confined', async () => {
  const { root, install } = prepare();
  await install();
  const analyze = findProgram('systemd-analyze', 'systemd');
  const unit = join(root, 'etc/systemd/system/alert-analyst.service');
  const verified = await runProgram(analyze, ['verify', unit]);
  assert.equal(verified.output, '');
  assert.equal(verified.status, 0);
  const exposure = await runProgram(analyze, [
    'security', '--offline=true', '--threshold=15', '--no-pager', unit,
  ]);
  assert.equal(exposure.status, 0, exposure.output);
});
