#!/bin/sh
# The installer on what looks like a Pi, with no network and with a screen, in a fresh Debian.
#   sudo tests/deploy/offline.sh trixie|bookworm [FOLDER [BASE.tar]]
# FOLDER (default: a new one under /tmp) holds the root, BASE.tar a root made before. Needs root,
# mmdebstrap, unshare and the network (to fill the folder of wheels; the installer itself runs in
# a network namespace with nothing in it). Nothing of this machine's /dev, /proc or /sys is
# mounted into the root: /proc there is a folder with a Pi's model in it. What only Raspberry Pi
# OS has (picamera2, lgpio) and what is large (Chromium) are packages of the right names with
# next to nothing in them; numpy is the system's own, and on Bookworm simplejpeg is one that was
# made for numpy 1, as there: the clash that the installer has to get out of is a real one.
set -eu
cd "$(dirname "$0")/../.."
release=${1:?"trixie or bookworm"}
folder=${2:-$(mktemp -d "/tmp/upcard-$release.XXXXXX")}
base=${3:-$folder/base.tar}
root=$folder/root
mkdir -p "$folder"

step() { printf '\n=== %s\n' "$*"; }
inside() {
    chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
        PIP_CERT=/etc/ssl/certs/ca-certificates.crt SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
        PIP_DEFAULT_TIMEOUT=180 "$@"
}
cut_off() {
    unshare -n chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        LC_ALL=C.UTF-8 "$@"
}
expect() { if ! eval "$2"; then printf 'NOT SO: %s\n' "$1"; exit 1; fi; printf 'ok: %s\n' "$1"; }

step "a fresh $release in $root"
if [ ! -s "$base" ]; then
    mmdebstrap --mode=root --variant=minbase \
        --include=systemd,systemd-sysv,udev,dbus,ca-certificates,sudo,python3 "$release" "$base"
fi
rm -rf "$root"
mkdir -p "$root"
tar -C "$root" --exclude=./dev -xf "$base"
mkdir -p "$root/dev"
mknod -m 666 "$root/dev/null" c 1 3
mknod -m 444 "$root/dev/urandom" c 1 9
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
mkdir -p "$root/root/upcard" "$root/boot/firmware" "$root/proc/device-tree"
printf 'Raspberry Pi 5 Model B Rev 1.0\0' >"$root/proc/device-tree/model"
printf '# as the image has it\ncamera_auto_detect=1\n' >"$root/boot/firmware/config.txt"
cp "$root/boot/firmware/config.txt" "$folder/config.txt"
tar -c --exclude=.git --exclude=.venv --exclude=build --exclude=__pycache__ . | tar -x -C "$root/root/upcard"

step "what the image would have: the system's packages"
inside apt-get update -q >/dev/null
inside sh -c 'DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends \
    python3-venv python3-numpy avahi-daemon v4l-utils' >"$folder/apt.txt" 2>&1
expect "the screen's packages have these names here, and can be installed" \
    'inside apt-get install -qs --no-install-recommends cage chromium seatd >"$folder/screen.txt" 2>&1'
stand_in() {
    made=$folder/deb/$1
    rm -rf "$made"
    mkdir -p "$made/DEBIAN"
    printf 'Package: %s\nVersion: 0\nArchitecture: all\nMaintainer: nobody <nobody@localhost>\nDescription: stands in\n' \
        "$1" >"$made/DEBIAN/control"
    case $1 in
    python3-picamera2 | python3-lgpio)
        mkdir -p "$made/usr/lib/python3/dist-packages"
        if [ "$1" = python3-lgpio ]; then : >"$made/usr/lib/python3/dist-packages/lgpio.py"; else
            printf 'import numpy\nimport simplejpeg\n' >"$made/usr/lib/python3/dist-packages/picamera2.py"; fi ;;
    *)
        mkdir -p "$made/usr/bin"
        for word in "$1" pinctrl; do
            if [ "$word" = pinctrl ] && [ "$1" != raspi-utils-core ]; then continue; fi
            printf '#!/bin/sh\nexit 0\n' >"$made/usr/bin/$word"
            chmod 755 "$made/usr/bin/$word"
        done ;;
    esac
    dpkg-deb -b "$made" "$root/root/$1.deb" >/dev/null
    inside dpkg -i "/root/$1.deb" >/dev/null
}
for package in python3-picamera2 python3-lgpio raspi-utils-core cage chromium seatd; do stand_in $package; done
inside python3 -m venv /root/pip
case $release in bookworm) jpeg=1.7.2 ;; *) jpeg=1.9.0 ;; esac
inside /root/pip/bin/pip install -q --no-deps --target /usr/lib/python3/dist-packages simplejpeg==$jpeg
inside python3 -c 'import numpy, picamera2; print("the system alone: numpy", numpy.__version__, "and simplejpeg go together")'

step "a folder of wheels, made where there is a network"
locks='-r requirements/run.lock'
if [ "$release" = bookworm ]; then locks="$locks -r requirements/bookworm.lock"; fi
# shellcheck disable=SC2086
inside sh -c "cd /root/upcard && /root/pip/bin/pip download -q $locks -d /root/wheels"
ls "$root/root/wheels" | wc -l

step "install, cut off from every network, with a screen"
began=$(date +%s)
cut_off /root/upcard/deploy/install.sh --wheels /root/wheels --kiosk
printf 'seconds: %s\n' $(($(date +%s) - began))
first=$(readlink "$root/opt/upcard/current")
python=$root/opt/upcard/current/venv/bin/python
[ -e "$python" ]
inside /opt/upcard/current/venv/bin/python -c 'import numpy, simplejpeg, picamera2, lgpio, cv2, onnxruntime
print("in use: numpy", numpy.__version__, numpy.__file__)'
cat "$root/opt/upcard/current/doctor.txt" | grep -e simplejpeg -e numpy
expect "nothing failed for the doctor" '! grep -q ^FAIL "$root/opt/upcard/current/doctor.txt"'
case $release in
bookworm) expect "numpy 2 comes from the wheels" '[ -d "$root/opt/upcard/current/venv/lib/python3.11/site-packages/numpy" ]' ;;
*) expect "numpy is shared with the system" '! ls -d "$root"/opt/upcard/current/venv/lib/python3*/site-packages/numpy 2>/dev/null' ;;
esac
expect "the pins' rest state is in config.txt" 'grep -q "^gpio=17=op,dl$" "$root/boot/firmware/config.txt"'
expect "the settings say that the table is a Pi's" 'grep -q "^table = \"pi\"" "$root/etc/upcard/upcard.toml"'

step "the screen"
expect "its unit is enabled" '[ -L "$root/etc/systemd/system/multi-user.target.wants/upcard-kiosk.service" ]'
expect "its user is in the groups of the screen" 'inside id -nG upcard-kiosk | grep -qw video'
# As systemd would: the folder, then the page with the table's own link.
mkdir -p "$root/run/upcard-kiosk"
inside HOME=/tmp XDG_DATA_HOME=/var/lib UPCARD_SETTINGS=/etc/upcard/upcard.toml setpriv --reuid upcard --regid upcard \
    --init-groups /opt/upcard/current/venv/bin/python -c 'from pathlib import Path
from web_dashboard.access import Access
Access(Path("/var/lib/upcard/codes.json"))'
inside /opt/upcard/current/source/deploy/kiosk/prepare
expect "the page carries the table's link" 'grep -q "const link = \"#" "$root/run/upcard-kiosk/waiting.html"'
expect "and is the screen's user's alone" \
    '[ "$(inside stat -c %U:%a /run/upcard-kiosk/waiting.html)" = upcard-kiosk:600 ]'

step "again: nothing changes"
cut_off /root/upcard/deploy/install.sh --wheels /root/wheels --kiosk
expect "the same version in use" '[ "$(readlink "$root/opt/upcard/current")" = "$first" ]'

step "the units, as this systemd sees them"
inside systemctl --version | head -1
inside systemd-analyze verify /etc/systemd/system/upcard.service /etc/systemd/system/upcard-kiosk.service 2>&1 |
    tee "$folder/verify.txt"
expect "verify has nothing against them but what an older systemd does not know" \
    '! grep -v -e "Unknown key" -e "^$" "$folder/verify.txt"'
for unit in upcard.service upcard-kiosk.service; do
    inside systemd-analyze security --offline=true --no-pager "$unit" | tail -1
done

step "without the screen, then away"
cut_off /root/upcard/deploy/install.sh --wheels /root/wheels --no-kiosk
expect "its unit is not enabled" '! [ -L "$root/etc/systemd/system/multi-user.target.wants/upcard-kiosk.service" ]'
cut_off /root/upcard/deploy/install.sh --remove --purge
expect "config.txt is as it was" 'cmp "$folder/config.txt" "$root/boot/firmware/config.txt"'
expect "its users are gone" '! inside getent passwd upcard upcard-kiosk'
expect "nothing of Upcard's is left" \
    '[ -z "$(find "$root/etc" "$root/opt" "$root/usr/local" "$root/var/lib" "$root/var/backups" -iname "*upcard*")" ]'
step "all is as it should be"
