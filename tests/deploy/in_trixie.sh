#!/bin/sh
# Runs the installer in a fresh Debian Trixie: install, once more, update, roll back, remove.
#   sudo tests/deploy/in_trixie.sh [FOLDER [BASE.tar]]
# FOLDER (default: a new one under /tmp) holds the root, BASE.tar a root made before. Needs root,
# mmdebstrap and the network; some five minutes, 1.5 GB. Nothing of this machine's /dev, /proc
# or /sys is mounted into it. The parts that need a Pi (its camera and pins) are left out by
# --not-a-pi; systemd does not run in it, so units are enabled and checked, not started.
set -eu
cd "$(dirname "$0")/../.."
folder=${1:-$(mktemp -d /tmp/upcard-trixie.XXXXXX)}
base=${2:-$folder/base.tar}
root=$folder/root
mkdir -p "$folder"

step() { printf '\n=== %s\n' "$*"; }
inside() {
    # The network's certificates may be the host's own; nothing else of its environment goes in.
    chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
        PIP_CERT=/etc/ssl/certs/ca-certificates.crt SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
        PIP_DEFAULT_TIMEOUT=180 "$@"
}
files() { (cd "$root" && find etc opt usr/local var/lib/upcard* var/backups srv home -mindepth 1 2>/dev/null | LC_ALL=C sort); }
expect() { if ! eval "$2"; then printf 'NOT SO: %s\n' "$1"; exit 1; fi; printf 'ok: %s\n' "$1"; }

step "a fresh Trixie in $root"
if [ ! -s "$base" ]; then
    mmdebstrap --mode=root --variant=minbase \
        --include=systemd,systemd-sysv,udev,dbus,ca-certificates,sudo,python3 trixie "$base"
fi
rm -rf "$root"
mkdir -p "$root"
tar -C "$root" --exclude=./dev -xf "$base"
mkdir -p "$root/dev"
mknod -m 666 "$root/dev/null" c 1 3
mknod -m 444 "$root/dev/urandom" c 1 9
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
mkdir -p "$root/root/upcard"
tar -c --exclude=.git --exclude=.venv --exclude=build --exclude=__pycache__ . | tar -x -C "$root/root/upcard"

step "on a machine that is no Pi it refuses, and changes nothing"
files >"$folder/before"
if inside /root/upcard/deploy/install.sh; then exit 1; fi
files | cmp - "$folder/before"

step "install"
began=$(date +%s)
inside /root/upcard/deploy/install.sh --not-a-pi --name cardtable
printf 'seconds: %s\n' $(($(date +%s) - began))
files | grep -v '/releases/.*/' >"$folder/after"

step "what is there now"
first=$(readlink "$root/opt/upcard/current")
ls -l "$root/opt/upcard"
expect "the service is enabled" '[ -L "$root/etc/systemd/system/multi-user.target.wants/upcard.service" ]'
expect "the backup timer is enabled" '[ -L "$root/etc/systemd/system/timers.target.wants/upcard-backup.timer" ]'
expect "the kiosk is not" '! [ -L "$root/etc/systemd/system/multi-user.target.wants/upcard-kiosk.service" ]'
expect "the games' folder belongs to upcard" '[ "$(inside stat -c %U:%G:%a /var/lib/upcard)" = upcard:upcard:2770 ]'
expect "the new name" '[ "$(cat "$root/etc/hostname")" = cardtable ]'
inside upcard doctor --software

step "the simulated table plays a deal as the service's user, with the kit's settings"
inside UPCARD_SETTINGS=/etc/upcard/upcard.toml XDG_DATA_HOME=/var/lib HOME=/tmp PYTHONDONTWRITEBYTECODE=1 \
    sh -c 'echo $$ >/root/pid; exec setpriv --reuid upcard --regid upcard --init-groups \
    /opt/upcard/current/venv/bin/upcard run --host 127.0.0.1 --speed 10 --seed 3' >"$folder/run.txt" 2>&1 &
waited=0
until grep -q "^deal 1:" "$folder/run.txt" || [ $waited -ge 400 ]; do
    sleep 2
    waited=$((waited + 2))
done
kill -TERM "$(cat "$root/root/pid")"
wait
tail -8 "$folder/run.txt"
expect "a deal was scored" 'grep -q "^deal 1:" "$folder/run.txt"'
inside upcard games
inside upcard backup --keep 14 /var/backups/upcard
inside upcard tidy

step "install again: nothing is made anew, nothing changes"
began=$(date +%s)
inside /root/upcard/deploy/install.sh --not-a-pi --name cardtable
printf 'seconds: %s\n' $(($(date +%s) - began))
files | grep -v -e '/releases/.*/' -e ^var/ >"$folder/again"
expect "the same files" 'grep -v ^var/ "$folder/after" | cmp - "$folder/again"'
expect "the same version in use" '[ "$(readlink "$root/opt/upcard/current")" = "$first" ]'

step "the units, as systemd sees them"
inside systemd-analyze verify /etc/systemd/system/upcard.service /etc/systemd/system/upcard-backup.service \
    /etc/systemd/system/upcard-backup.timer
echo "ok: verify has nothing to say"
for unit in upcard.service upcard-backup.service; do
    inside systemd-analyze security --offline=true --no-pager "$unit" | tail -1
done

step "an update that does not work is not put to use"
cp -a "$root/root/upcard/vision/reader.py" "$folder/reader.py"
echo 'raise RuntimeError("broken on purpose")' >>"$root/root/upcard/models/__init__.py"
if inside /root/upcard/deploy/install.sh --not-a-pi; then exit 1; fi
expect "the version before is still in use" '[ "$(readlink "$root/opt/upcard/current")" = "$first" ]'
sed -i '$d' "$root/root/upcard/models/__init__.py"

step "an update, and back"
echo '# another version' >>"$root/root/upcard/pi/__init__.py"
inside /root/upcard/deploy/install.sh --not-a-pi
second=$(readlink "$root/opt/upcard/current")
expect "another version is in use" '[ "$second" != "$first" ]'
inside /opt/upcard/current/source/deploy/install.sh --roll-back
expect "the first is in use again" '[ "$(readlink "$root/opt/upcard/current")" = "$first" ]'
expect "the games are still there" 'inside upcard games | grep -q deals'

step "removed; the games stay"
inside /opt/upcard/current/source/deploy/install.sh --remove
expect "the games stay" '[ -s "$root/var/lib/upcard/games.db" ]'
expect "the old name is back" '[ "$(cat "$root/etc/hostname")" != cardtable ]'

step "installed and removed with everything"
inside /root/upcard/deploy/install.sh --not-a-pi
inside /root/upcard/deploy/install.sh --remove --purge --packages
files >"$folder/end"
# What apt leaves behind of packages that came and went is apt's own.
diff "$folder/before" "$folder/end" | grep -v -e '^[0-9,]*[acd][0-9,]*$' >"$folder/left" || true
cat "$folder/left"
expect "nothing of Upcard's is left" '! grep -q upcard "$folder/left"'
expect "its user is gone" '! inside getent passwd upcard'
step "all is as it should be"
