#!/bin/sh
# Puts Upcard on a Raspberry Pi, brings it up to date, rolls it back, takes it away again.
#   sudo deploy/install.sh                  install, or update to the version of this folder
#   sudo deploy/install.sh --roll-back      go back to the version before
#   sudo deploy/install.sh --remove         take it away; games and settings stay
#   sudo deploy/install.sh --remove --purge take everything away, games too
# May be run as often as you like: what is there already is left as it is.
set -eu

HOME_DIR=/opt/upcard
STATE_DIR=/var/lib/upcard
SETTINGS_DIR=/etc/upcard
SETTINGS=$SETTINGS_DIR/upcard.toml
BACKUP_DIR=/var/backups/upcard
UNIT_DIR=/etc/systemd/system
COMMAND=/usr/local/bin/upcard
NOTES=$HOME_DIR/notes
UNITS="upcard.service upcard-backup.service upcard-backup.timer upcard-kiosk.service"
NEEDED_MB=1500

say() { printf 'upcard: %s\n' "$*" >&2; }
die() {
    say "$1"
    [ $# -lt 2 ] || say "  $2"
    exit 1
}

usage() {
    sed -n '2,7s/^# \{0,1\}//p' "$0"
    cat <<'USAGE'
options:
  --kiosk          show the board on a screen at the Pi (cage and Chromium)
  --no-kiosk       no longer
  --name NAME      call this Pi NAME, so that tablets find http://NAME.local:8080/
  --wheels DIR     take the Python packages from DIR instead of the network
  --not-a-pi       for trying it on another Debian: no camera, no pins, the simulated table
  --packages       with --remove: remove the system packages that the installer had added
USAGE
}

kiosk=as_is name='' wheels='' pi=yes doing=install purge=no packages=no
while [ $# -gt 0 ]; do
    case $1 in
    --kiosk) kiosk=yes ;;
    --no-kiosk) kiosk=no ;;
    --name) [ $# -gt 1 ] || die "--name needs a name" "such as: --name upcard"; name=$2; shift ;;
    --wheels) [ $# -gt 1 ] || die "--wheels needs a folder"; wheels=$2; shift ;;
    --not-a-pi) pi=no ;;
    --roll-back) doing=roll_back ;;
    --remove) doing=remove ;;
    --purge) purge=yes ;;
    --packages) packages=yes ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
    esac
    shift
done

running_systemd() { [ -d /run/systemd/system ]; }

systemctl_now() {
    # In a chroot, or an image being made, units can be enabled but nothing be started.
    if running_systemd; then systemctl "$@"; fi
}

# --- what this system is -------------------------------------------------------------------------

check_system() {
    [ "$(id -u)" = 0 ] || die "this needs the rights of root" "sudo $0"
    case "$(uname -m)" in
    aarch64 | arm64 | x86_64) ;;
    *) die "this system is $(uname -m); ONNX Runtime is made for 64-bit systems only" \
        "write the 64-bit Raspberry Pi OS (Trixie) to the card, then run this again" ;;
    esac
    # shellcheck source=/dev/null
    release=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-unknown}")
    case $release in
    trixie) ;;
    bookworm) say "Bookworm: second class (its camera software is untried); Trixie is supported" ;;
    *) die "this system is $release: Raspberry Pi OS Trixie is supported, Bookworm with care" \
        "write a fresh card with Raspberry Pi Imager" ;;
    esac
    if [ $pi = yes ] && ! grep -qs 'Raspberry Pi' /proc/device-tree/model; then
        die "this is no Raspberry Pi: nothing was changed" \
            "to try Upcard here: ./upcard run; to try the installer: --not-a-pi"
    fi
    free_mb=$(df -Pm /opt 2>/dev/null | awk 'NR == 2 { print $4 }')
    [ "${free_mb:-$NEEDED_MB}" -ge $NEEDED_MB ] || die "$free_mb MB are free under /opt; $NEEDED_MB are needed" \
        "make room (sudo apt clean), or take a larger card"
}

# --- the system's own packages -------------------------------------------------------------------

wanted_packages() {
    printf '%s\n' python3 python3-venv avahi-daemon ca-certificates
    if [ $pi = yes ]; then
        # Bound to the system's libcamera and kernel: never from pip.
        printf '%s\n' python3-picamera2 python3-lgpio v4l-utils
        # Its name differs between releases; the images have it.
        if ! command -v pinctrl >/dev/null; then printf '%s\n' raspi-utils-core; fi
    fi
    if [ "$kiosk" = yes ]; then printf '%s\n' cage chromium seatd; fi
}

is_there() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

install_packages() {
    missing=''
    for package in $(wanted_packages); do
        is_there "$package" || missing="$missing $package"
    done
    if [ -z "$missing" ]; then return 0; fi
    say "installing$missing"
    # a name of its own: in /tmp a fixed one could be somebody else's link
    apt_log=$(mktemp)
    # shellcheck disable=SC2086
    { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $missing; } \
        >"$apt_log" 2>&1 || {
        tail -5 "$apt_log" >&2
        die "the system's packages could not be installed: $apt_log says why" \
            "is the network there? run this again to go on"
    }
    rm -f "$apt_log"
    mkdir -p "$NOTES"
    # shellcheck disable=SC2086
    printf '%s\n' $missing >>"$NOTES/packages"
}

# --- its user and folders ------------------------------------------------------------------------

make_user() {
    if ! getent passwd upcard >/dev/null; then
        useradd --system --user-group --home-dir $STATE_DIR --no-create-home \
            --shell /usr/sbin/nologin --comment 'Upcard table kit' upcard
    fi
    for group in gpio video render i2c; do
        if getent group "$group" >/dev/null; then usermod -aG "$group" upcard; fi
    done
    # Whoever installs may read and mend the games, as the service may.
    if [ -n "${SUDO_USER:-}" ] && [ "$SUDO_USER" != root ]; then usermod -aG upcard "$SUDO_USER"; fi
    # Set-group-id: what one of the group writes, all of it may use.
    install -d -o upcard -g upcard -m 2770 $STATE_DIR
    install -d -o upcard -g upcard -m 2750 $BACKUP_DIR
    install -d -m 755 $SETTINGS_DIR $HOME_DIR $HOME_DIR/releases "$NOTES"
}

# --- one version, in a folder of its own ---------------------------------------------------------

PARTS='engine vision models web_dashboard pi deploy requirements pyproject.toml README.md LICENSE'

source_files() {
    for part in $PARTS; do
        find "$part" -type f ! -path '*/__pycache__/*' ! -name '*.pyc'
    done | LC_ALL=C sort
}

release_id() {
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
    # By content, and by the Python that the environment is made for.
    sum=$( (source_files | tr '\n' '\0' | xargs -0 sha256sum; python3 -V; printf '%s' "$pi") | sha256sum | cut -c1-10)
    printf '%s-%s' "$version" "$sum"
}

system_numpy_is_2() {
    python3 -c 'import sys, numpy; sys.exit(int(numpy.__version__.split(".")[0]) < 2)' 2>/dev/null
}

# The lock without one package: where apt's numpy is new enough, picamera2 and we share it.
lock_without() {
    awk -v name="$1==" '/^[a-z]/ { skip = index($0, name) == 1 } !skip' requirements/run.lock
}

make_release() {
    new=$HOME_DIR/releases/$id broken=$HOME_DIR/releases/$id.broken
    # Left by an installation that the power or a signal ended in the middle.
    if [ -f "$new/made" ]; then rm -rf "$broken"; else put_back; fi
    if [ -f "$new/made" ]; then
        if "$new/venv/bin/upcard" doctor --software >/dev/null 2>&1; then
            say "version $id is there already"
            return 0
        fi
        say "version $id is there and does not work any more: it is made afresh"
    fi
    say "making version $id (some minutes on a Pi)"
    # Its source may be the folder we stand in: that is moved with us, and goes at the end.
    trap put_back EXIT
    # A signal alone would end a shell without that.
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    if [ -d "$new" ]; then mv "$new" "$broken"; fi
    mkdir -p "$new/source"
    source_files | tr '\n' '\0' | xargs -0 cp --parents -t "$new/source"
    # picamera2 and lgpio come from the system, so the environment must see it.
    if [ $pi = yes ]; then
        python3 -m venv --system-site-packages "$new/venv"
    else
        python3 -m venv "$new/venv"
    fi
    lock=$new/packages.lock
    if [ $pi = yes ] && system_numpy_is_2; then lock_without numpy >"$lock"; else cp requirements/run.lock "$lock"; fi
    set -- --quiet --disable-pip-version-check --no-input
    if [ -n "$wheels" ]; then set -- "$@" --no-index --find-links "$wheels"; fi
    # The lock is whole: nothing that it does not name is fetched, nothing without its hash.
    "$new/venv/bin/python" -m pip install "$@" --no-deps --require-hashes -r "$lock" ||
        die "the Python packages could not be installed" "is the network there? run this again to go on"
    if [ $pi = yes ] && ! system_numpy_is_2; then
        # Bookworm: apt's simplejpeg was made for numpy 1; one made for numpy 2 goes before it.
        "$new/venv/bin/python" -m pip install "$@" --no-deps --require-hashes -r requirements/bookworm.lock ||
            die "simplejpeg for numpy 2 could not be installed" "Bookworm needs it; Trixie does not"
    fi
    "$new/venv/bin/python" -m pip install "$@" --no-index --no-deps --no-build-isolation "$new/source" ||
        die "Upcard itself could not be installed" "send the lines above with a bug report"
    rm -rf "$new/source/build" "$new/source"/*.egg-info
    # In use only once it has proved that it imports and that its models are whole.
    "$new/venv/bin/upcard" doctor --software >"$new/doctor.txt" 2>&1 || {
        grep -A1 '^FAIL' "$new/doctor.txt" >&2 || cat "$new/doctor.txt" >&2
        die "version $id does not work here and is not put to use" "the version in use stays"
    }
    : >"$new/made"
    trap - EXIT HUP INT TERM
    rm -rf "$broken"
    stand_again
}

# What cannot be made afresh stays as it was: a part of it may still run.
put_back() {
    if [ -d "$broken" ]; then
        trap '' HUP INT TERM
        rm -rf "$new"
        mv "$broken" "$new"
        trap - HUP INT TERM
        stand_again
    fi
}

# The folder we stand in may have been moved or made afresh: from here on the one of its name.
stand_again() { cd "$PWD" 2>/dev/null || true; }

put_to_use() {
    now=$(readlink $HOME_DIR/current 2>/dev/null || true)
    if [ "$now" = "releases/$id" ]; then return 0; fi
    if [ -n "$now" ]; then ln -sfn "$now" $HOME_DIR/previous; fi
    # A link is changed by renaming another over it: there is no moment without one.
    ln -sfn "releases/$id" $HOME_DIR/current.new
    mv -T $HOME_DIR/current.new $HOME_DIR/current
    say "version $id is now in use"
}

# Two versions are kept: the one in use and the one to roll back to.
sweep_releases() {
    keep=" $(readlink $HOME_DIR/current 2>/dev/null || true) $(readlink $HOME_DIR/previous 2>/dev/null || true) "
    for folder in "$HOME_DIR"/releases/*; do
        case $keep in *" releases/$(basename "$folder") "*) ;; *) rm -rf "$folder" ;; esac
    done
}

# --- settings, command, units --------------------------------------------------------------------

write_settings() {
    if [ -e $SETTINGS ]; then return 0; fi
    if [ $pi = yes ]; then table=pi; else table=sim; fi
    sed "s/^table = .*/table = \"$table\"/" deploy/upcard.toml >$SETTINGS
}

write_command() {
    cat >$COMMAND.new <<'WORD'
#!/bin/sh
# Upcard's command on this Pi: the version in use, with the kit's own settings and games.
umask 007
export XDG_DATA_HOME=/var/lib UPCARD_SETTINGS=/etc/upcard/upcard.toml
upcard=/opt/upcard/current/venv/bin/upcard
if [ "${1:-}" = codes ] && [ "$(id -un)" != upcard ]; then
    # The codes are the service's alone.
    exec sudo -u upcard env XDG_DATA_HOME=$XDG_DATA_HOME UPCARD_SETTINGS=$UPCARD_SETTINGS $upcard "$@"
fi
exec $upcard "$@"
WORD
    chmod 755 $COMMAND.new
    mv $COMMAND.new $COMMAND
}

write_units() {
    for unit in $UNITS; do
        install -m 644 "$HOME_DIR/current/source/deploy/systemd/$unit" $UNIT_DIR/
    done
    if [ -d /etc/avahi ]; then
        install -d /etc/avahi/services
        install -m 644 $HOME_DIR/current/source/deploy/avahi.service /etc/avahi/services/upcard.service
    fi
    systemctl_now daemon-reload
    systemctl enable -q upcard.service upcard-backup.timer
    systemctl_now start upcard-backup.timer
    case $kiosk in
    yes)
        getent passwd upcard-kiosk >/dev/null || useradd --system --user-group --create-home \
            --home-dir /var/lib/upcard-kiosk --shell /usr/sbin/nologin --comment 'Upcard screen' upcard-kiosk
        for group in video render input; do
            if getent group "$group" >/dev/null; then usermod -aG "$group" upcard-kiosk; fi
        done
        systemctl enable -q upcard-kiosk.service ;;
    no) systemctl disable -q upcard-kiosk.service 2>/dev/null || true
        systemctl_now stop upcard-kiosk.service 2>/dev/null || true ;;
    as_is) ;;
    esac
}

BOOT=/boot/firmware/config.txt

boot_block() {
    # A Raspberry Pi kernel keeps a pin as a program left it; this lets it fall when one dies.
    # The shuffler's relay is held off from the first seconds, long before Upcard starts.
    touch_pin=$("$HOME_DIR/current/venv/bin/python" -c \
        'import pathlib, sys; from pi.settings import load_settings
print(load_settings(pathlib.Path(sys.argv[1])).pins.touch)' $SETTINGS 2>/dev/null || echo 17)
    printf '# upcard: begin\n[all]\ndtparam=strict_gpiod\ngpio=%s=op,dl\n# upcard: end\n' "$touch_pin"
}

without_boot_block() { sed '/^# upcard: begin$/,/^# upcard: end$/d' $BOOT; }

write_boot() {
    if [ ! -f $BOOT ]; then return 0; fi
    { without_boot_block; boot_block; } >$BOOT.upcard
    if cmp -s $BOOT.upcard $BOOT; then rm $BOOT.upcard; return 0; fi
    mv $BOOT.upcard $BOOT
    sync
    say "the pins' rest state is in $BOOT: start the Pi anew once"
}

set_name() {
    if [ -z "$name" ]; then return 0; fi
    case $name in *[!a-z0-9-]* | -* | *-) die "the name $name will not do" "letters a to z, digits and - only" ;; esac
    was=$(cat /etc/hostname 2>/dev/null || hostname)
    if [ "$was" = "$name" ]; then return 0; fi
    [ -f "$NOTES/name" ] || printf '%s\n' "$was" >"$NOTES/name"
    rename_from "$was" "$name"
}

rename_from() {
    printf '%s\n' "$2" >/etc/hostname
    if grep -qs "^127.0.1.1" /etc/hosts; then
        sed -i "s/^127\.0\.1\.1.*/127.0.1.1\t$2/" /etc/hosts
    else
        printf '127.0.1.1\t%s\n' "$2" >>/etc/hosts
    fi
    if running_systemd; then
        hostnamectl set-hostname "$2" || true
        systemctl restart avahi-daemon || true
    fi
    say "this Pi was called $1 and is now called $2"
}

# --- start, and back again if it does not --------------------------------------------------------

start_or_go_back() {
    if ! running_systemd; then
        say "systemd is not running here: upcard.service starts at the next boot"
        return 0
    fi
    systemctl restart upcard.service || true
    tries=0
    until systemctl is-active -q upcard.service; do
        tries=$((tries + 1))
        if [ $tries -ge 30 ]; then break; fi
        sleep 2
    done
    if systemctl is-active -q upcard.service; then return 0; fi
    say "the table does not start; its last words:"
    journalctl -u upcard.service -n 8 --no-pager -o cat >&2 || true
    before=$(readlink $HOME_DIR/previous 2>/dev/null || true)
    if [ "${switched:-no}" = yes ] && [ -n "$before" ]; then
        say "going back to the version before"
        roll_back
        exit 1
    fi
    die "it is installed but does not run: upcard doctor says what is missing" \
        "after mending that: sudo systemctl restart upcard"
}

roll_back() {
    [ "$(id -u)" = 0 ] || die "this needs the rights of root" "sudo $0 --roll-back"
    before=$(readlink $HOME_DIR/previous 2>/dev/null || true)
    now=$(readlink $HOME_DIR/current 2>/dev/null || true)
    if [ -z "$before" ] || [ ! -d "$HOME_DIR/$before" ]; then
        die "there is no version before this one" "nothing was changed"
    fi
    ln -sfn "$before" $HOME_DIR/current.new
    mv -T $HOME_DIR/current.new $HOME_DIR/current
    ln -sfn "$now" $HOME_DIR/previous
    kiosk=as_is
    write_units
    systemctl_now restart upcard.service
    say "version ${before#releases/} is in use again; ${now#releases/} is kept: --roll-back once more returns to it"
}

# --- away again ----------------------------------------------------------------------------------

remove() {
    [ "$(id -u)" = 0 ] || die "this needs the rights of root" "sudo $0 --remove"
    for unit in $UNITS; do
        systemctl_now stop "$unit" 2>/dev/null || true
        systemctl disable -q "$unit" 2>/dev/null || true
        rm -f "$UNIT_DIR/$unit"
    done
    systemctl_now daemon-reload
    rm -f $COMMAND /etc/avahi/services/upcard.service
    if [ -f $BOOT ] && grep -q '^# upcard: begin$' $BOOT; then
        without_boot_block >$BOOT.upcard
        mv $BOOT.upcard $BOOT
        sync
    fi
    if [ -f "$NOTES/name" ]; then rename_from "$(cat /etc/hostname)" "$(cat "$NOTES/name")"; fi
    if [ -f "$NOTES/packages" ]; then
        added=$(LC_ALL=C sort -u "$NOTES/packages" | tr '\n' ' ')
        if [ $packages = yes ]; then
            # shellcheck disable=SC2086
            DEBIAN_FRONTEND=noninteractive apt-get purge -qy --autoremove $added >/dev/null ||
                say "some of these could not be removed: $added"
        else
            say "packages that were added and stay: $added(--packages removes them)"
        fi
    fi
    rm -rf $HOME_DIR
    if getent passwd upcard-kiosk >/dev/null; then
        userdel upcard-kiosk
        rm -rf /var/lib/upcard-kiosk
    fi
    if [ $purge = yes ]; then
        rm -rf $STATE_DIR $SETTINGS_DIR $BACKUP_DIR
        if getent passwd upcard >/dev/null; then userdel upcard; fi
        if getent group upcard >/dev/null; then groupdel upcard; fi
        say "Upcard is gone, games and settings too"
    else
        say "Upcard is gone; games are in $STATE_DIR, settings in $SETTINGS_DIR (--purge removes both)"
    fi
}

tell() {
    host=$(cat /etc/hostname 2>/dev/null || hostname)
    say "done. The board: http://$host.local:8080/"
    for address in $(hostname -I 2>/dev/null || true); do
        case $address in *:*) ;; *) say "            or: http://$address:8080/ (older Androids need this one)" ;; esac
    done
    say "what is here and what is missing: upcard doctor"
}

# --- the work ------------------------------------------------------------------------------------

case $doing in
remove) remove; exit 0 ;;
roll_back) roll_back; exit 0 ;;
esac
cd "$(dirname "$0")/.."
[ -f pyproject.toml ] || die "Upcard's own files are not beside $0" "run it from the folder that holds them all"
check_system
install_packages
make_user
id=$(release_id)
switched=no
[ "$(readlink $HOME_DIR/current 2>/dev/null || true)" = "releases/$id" ] || switched=yes
make_release
write_settings
put_to_use
write_command
write_units
[ $pi = no ] || write_boot
set_name
sweep_releases
start_or_go_back
# After the table, whose codes the screen needs.
if [ "$kiosk" = yes ]; then
    systemctl_now restart upcard-kiosk.service || say "the screen does not start: journalctl -u upcard-kiosk"
fi
tell
