#!/bin/sh
# Installs alert-analyst as a systemd service on a machine that has Node but no npm. Run it from a
# built tree (one with dist/), and again to upgrade: settings, secrets and data are never overwritten.
set -eu
# Not that of whoever runs it: nothing may be writable for others, not even for a moment.
umask 022

usage() {
  cat <<'USAGE'
Usage: install.sh [--from DIR] [--node FILE] [--socket] [--prefix ROOT] [--dry-run]
       install.sh --rollback [--prefix ROOT] [--dry-run]
       install.sh --uninstall [--prefix ROOT] [--dry-run]

  --from DIR     the built tree: dist/, package.json, LICENSE (default: two folders above this file)
  --node FILE    the node binary to run it with (default: the one in PATH)
  --socket       let systemd hold the port, so that restarts fail no request; upgrades keep this
  --prefix ROOT  install below ROOT: only files, no user, no systemctl; for packages and tests
  --dry-run      print what would be done and change nothing
  --rollback     swap the program with the one that the last upgrade replaced, and restart
  --uninstall    stop and remove the service, but keep settings, secrets and data
USAGE
}

here=$(cd "$(dirname "$0")" && pwd)
tree=$(dirname "$(dirname "$here")")
node=$(command -v node || true)
root=
dry_run=no
socket=no
rollback=no
uninstall=no

say() { printf '%s\n' "$*"; }
fail() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}
run() {
  if [ "$dry_run" = yes ]; then say "would run: $*"; else "$@"; fi
}

while [ $# -gt 0 ]; do
  case $1 in
    --from | --node | --prefix)
      [ $# -ge 2 ] || fail "$1 needs a value"
      case $1 in
        --from) tree=$2 ;;
        --node) node=$2 ;;
        --prefix) root=${2%/} ;;
      esac
      shift
      ;;
    --socket) socket=yes ;;
    --dry-run) dry_run=yes ;;
    --rollback) rollback=yes ;;
    --uninstall) uninstall=yes ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; fail "Unknown argument: $1" ;;
  esac
  shift
done

program=$root/opt/alert-analyst
settings=$root/etc/alert-analyst
data=$root/var/lib/alert-analyst
unit=$root/etc/systemd/system/alert-analyst.service
socket_unit=$root/etc/systemd/system/alert-analyst.socket
[ ! -e "$socket_unit" ] || socket=yes
is_upgrade=no
[ ! -e "$unit" ] || is_upgrade=yes

is_system() { [ -z "$root" ]; }

has_systemd() { is_system && [ -d /run/systemd/system ]; }

check_system() {
  is_system || return 0
  [ "$(id -u)" = 0 ] || [ "$dry_run" = yes ] || fail "Must be run as root (or with --prefix)"
}

check_systemd() {
  has_systemd || return 0
  [ "$(systemctl --version | sed -n '1s/^systemd \([0-9]*\).*/\1/p')" -ge 247 ] ||
    fail "systemd 247 or later is required (LoadCredential, for the token)"
}

check_tree() {
  for name in dist/main.js dist/browser/live.js package.json LICENSE; do
    [ -f "$tree/$name" ] || fail "Cannot find $tree/$name: build first, with 'npm run build'"
  done
}

check_node() {
  [ -n "$node" ] || fail "Cannot find node: install Node 20.15 or later, or use --node FILE"
  [ -x "$node" ] || fail "Cannot run $node"
  # A relative path would be invalid in the unit.
  node=$(cd "$(dirname "$node")" && pwd)/$(basename "$node")
  # Both sed and systemd would read more than a path in others.
  case $node in
    *[!A-Za-z0-9/._+@:=,~-]*)
      fail "$node has characters that a unit cannot hold: use --node FILE, with a path of letters," \
        "digits and /._+@:=,~- only"
      ;;
  esac
  version=$("$node" --version) || fail "Cannot run $node"
  "$node" -e '
    const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major > 20 || (major === 20 && minor >= 15) ? 0 : 1);
  ' || fail "Node $version is too old: 20.15 or later is required"
  case $(readlink -f "$node") in
    /home/* | /root/*)
      if is_system; then
        fail "$node is in a home directory, which the service cannot access: use --node FILE"
      fi
      ;;
  esac
}

# The new tree is copied beside the old one and then swapped with it, so that an interrupted copy
# leaves the old one working. The old one is kept for --rollback. A file system may do the renames
# half a minute before it writes the files: without sync a power cut leaves only empty ones.
install_program() {
  run mkdir -p "$root/opt"
  settle
  run rm -rf "$program.new"
  run mkdir -m 0755 "$program.new"
  run cp -R "$tree/dist" "$tree/package.json" "$tree/LICENSE" "$program.new/"
  restrict "$program.new"
  check_settings
  run sync -f "$program.new"
  if [ -d "$program" ] && diff -rq "$program" "$program.new" >/dev/null 2>&1; then
    # Installed a second time, a version must not take the place of the one to roll back to.
    restrict "$program"
    run rm -rf "$program.new"
  else
    replace_program
  fi
  say "program: $program"
}

replace_program() {
  if [ -d "$program" ]; then
    run rm -rf "$program.older"
    [ ! -d "$program.old" ] || run mv "$program.old" "$program.older"
    run mv "$program" "$program.old"
  fi
  run mv "$program.new" "$program"
  run rm -rf "$program.older"
}

# Readable for the service, and writable for root alone.
restrict() {
  run chmod -R u=rwX,go=rX "$1"
  if is_system; then run chown -R root:root "$1"; fi
}

# Completes or undoes what an interrupted run has left. The names that are there tell which it was:
# a folder gets and loses one in a single step, and is never deleted under one that is used here.
#   .swap            a rollback, which is completed
#   no program       an upgrade between its renames, which is undone
#   .older, no .old  an upgrade before them
settle() {
  is_settled=no
  # All three at once are of an earlier version of this script, which was deleting the third.
  if [ -d "$program" ] && [ -d "$program.old" ]; then run rm -rf "$program.swap"; fi
  if [ -d "$program.swap" ]; then
    [ -d "$program" ] || run mv "$program.old" "$program"
    run mv "$program.swap" "$program.old"
    is_settled=yes
  elif [ ! -d "$program" ] && [ -d "$program.old" ]; then
    run mv "$program.old" "$program"
    is_settled=yes
  fi
  [ -d "$program.old" ] || [ ! -d "$program.older" ] || run mv "$program.older" "$program.old"
}

# Below another root, the files that the settings name are not where they will be.
check_settings() {
  [ -e "$settings/alert-analyst.env" ] && is_system || return 0
  run accepts_settings "$program.new" && return 0
  # Settings in a drop-in of systemd are not seen here, so the installed version is the measure.
  [ ! -e "$program" ] || accepts_settings "$program" >/dev/null 2>&1 ||
    { say "The installed version refuses these settings as well, so it is replaced"; return 0; }
  fail "The new version refuses the settings: nothing was changed"
}

accepts_settings() {
  env -i ACCESS_TOKEN_FILE="$settings/token" "$node" --env-file="$settings/alert-analyst.env" \
    "$1/dist/main.js" --check-config
}

# A second time it swaps them back.
roll_back() {
  settle
  if [ "$is_settled" = no ]; then
    [ -d "$program.old" ] || fail "No earlier version is kept in $program.old"
    run mv "$program" "$program.swap"
    run mv "$program.old" "$program"
    run mv "$program.swap" "$program.old"
  fi
  say "program: $program (the earlier one; any other is in $program.old)"
}

make_user() {
  is_system || return 0
  id -u alert-analyst >/dev/null 2>&1 && return 0
  shell=/usr/sbin/nologin
  [ -x "$shell" ] || shell=/sbin/nologin
  run useradd --system --user-group --no-create-home --home-dir "$data" --shell "$shell" \
    alert-analyst
  say "user: alert-analyst"
}

# Unless the file is there, writes so many random bytes to it, in hexadecimal. Nobody but its owner
# can read it.
make_secret() {
  if [ -e "$2" ]; then
    say "$3: $2 (kept)"
    return 0
  elif [ "$dry_run" = yes ]; then
    say "would write: a new secret to $2"
  else
    (umask 077 && od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n' >"$2.new" && echo >>"$2.new")
    mv "$2.new" "$2"
  fi
  say "$3: $2 (new)"
}

# Before the settings are checked, as these name them. Those of an upgrade may not need a password.
install_secrets() {
  [ -d "$settings" ] || run mkdir -p -m 0755 "$settings"
  if [ "$is_upgrade" = no ] || [ ! -e "$settings/alert-analyst.env" ]; then install_password; fi
  make_secret 32 "$settings/token" token
}

install_settings() {
  if [ -e "$settings/alert-analyst.env" ]; then
    say "settings: $settings/alert-analyst.env (kept)"
  else
    run install -m 0600 "$here/alert-analyst.env" "$settings/alert-analyst.env"
    say "settings: $settings/alert-analyst.env"
  fi
}

# The service reads the password as its own user.
install_password() {
  make_secret 10 "$settings/password" "password of the login oncall"
  if is_system; then
    run chgrp alert-analyst "$settings/password"
    run chmod 0640 "$settings/password"
  fi
}

make_data() {
  if [ ! -d "$data" ]; then run mkdir -p "$data"; fi
  run chmod 0700 "$data"
  if is_system; then run chown alert-analyst:alert-analyst "$data"; fi
  say "data: $data"
}

install_unit() {
  run mkdir -p "$(dirname "$unit")"
  if [ "$dry_run" = yes ]; then
    say "would write: $unit"
  else
    sed "s|^ExecStart=/usr/bin/node |ExecStart=$node |" "$here/alert-analyst.service" >"$unit.new"
    chmod 0644 "$unit.new"
    mv "$unit.new" "$unit"
    say "unit: $unit"
  fi
  [ "$socket" = yes ] || return 0
  run install -m 0644 "$here/alert-analyst.socket" "$socket_unit"
  say "unit: $socket_unit"
}

start_service() {
  if ! has_systemd; then
    if is_system; then say "systemd is not running: the unit is installed but not started"; fi
    return 0
  fi
  run systemctl daemon-reload
  run systemctl enable alert-analyst.service
  if [ "$socket" = yes ]; then
    run systemctl enable alert-analyst.socket
    # systemd cannot open the port while a service without the socket unit has it open.
    systemctl --quiet is-active alert-analyst.socket ||
      run systemctl stop alert-analyst.service
    run systemctl start alert-analyst.socket
  fi
  run systemctl restart alert-analyst.service ||
    fail "The service does not start: see journalctl -u alert-analyst; --rollback undoes an upgrade"
  say "started: systemctl status alert-analyst; journalctl -u alert-analyst"
}

say_what_is_next() {
  cat <<NEXT

Next:
1. In $settings/alert-analyst.env, set REPORT_BASE_URL to the address people will open.
   Then run: systemctl restart alert-analyst
2. Copy the line in $settings/token to the credentials_file, readable only by Alertmanager. Add
   this to alertmanager.yml, before the routes to people, run 'amtool check-config' and reload it:

route:
  routes:
    - receiver: alert-analyst
      continue: true
      group_by: [cluster, alertname, namespace]
      group_wait: 5s
      group_interval: 1m
      repeat_interval: 24h
receivers:
  - name: alert-analyst
    webhook_configs:
      - url: 'http://127.0.0.1:8080/webhook'
        send_resolved: true
        max_alerts: 0
        http_config:
          follow_redirects: false
          authorization:
            credentials_file: /etc/alertmanager/alert-analyst.token

3. Put links into chat, e-mail and pages with $here/templates/alert-analyst.tmpl.
4. Tell those on call the login for feedback and repeated analyses: user oncall, password in
   $settings/password
5. Test the whole chain with the drill in $here/README.md.
NEXT
}

remove_service() {
  removed=removed
  kept=kept
  if [ "$dry_run" = yes ]; then
    removed='would remove'
    kept='would keep'
  fi
  for each in "$socket_unit" "$unit"; do
    [ -e "$each" ] || continue
    if has_systemd; then run systemctl disable --now "$(basename "$each")"; fi
    run rm -f "$each"
    say "$removed: $each"
  done
  if has_systemd; then run systemctl daemon-reload; fi
  for each in "$program.swap" "$program.older" "$program.old" "$program"; do
    run rm -rf "$program.new"
    [ ! -d "$each" ] || run mv "$each" "$program.new"
  done
  run rm -rf "$program.new"
  say "$removed: $program"
  user=
  if is_system; then user=' and the user alert-analyst'; fi
  say "$kept: $settings, $data$user. To remove them:"
  say "  rm -r $settings $data"
  if is_system; then say "  userdel alert-analyst"; fi
}

check_system
if [ "$uninstall" = yes ]; then
  remove_service
  exit 0
fi
check_systemd
if [ "$rollback" = yes ]; then
  roll_back
  start_service
  exit 0
fi
check_tree
check_node
make_user
install_secrets
install_program
install_settings
make_data
install_unit
run sync -f "$settings"
start_service
if [ "$is_upgrade" = no ]; then say_what_is_next; fi
