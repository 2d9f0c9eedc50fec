# shellcheck shell=sh disable=SC2015
# Makes the private environment that Upcard runs in: sourced by ./upcard and ./test.
# Arguments of make_environment: the lock file. Nothing is installed outside .venv.

say() { printf 'upcard: %s\n' "$*" >&2; }

need_python() {
    for python in "${UPCARD_PYTHON:-}" python3.13 python3.12 python3.11 python3; do
        [ -n "$python" ] && command -v "$python" >/dev/null 2>&1 || continue
        "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
        # Debian keeps venv's pip apart from Python itself: a fresh system lacks it.
        if ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
            say "$python has no venv module. Install it, then run this again:"
            say "  sudo apt install python3-venv"
            exit 1
        fi
        return 0
    done
    say "Python 3.11 or later is needed and was not found. Install it, then run this again:"
    say "  sudo apt install python3 python3-venv"
    exit 1
}

# Rebuilt only when the lock file or the interpreter changes, so that a second start is quick.
make_environment() {
    lock=$1
    case "$(uname -m)" in
    x86_64 | aarch64 | arm64) ;;
    *)
        say "this system is $(uname -m); ONNX Runtime has wheels for 64-bit only."
        say "Install the 64-bit Raspberry Pi OS, then run this again."
        exit 1
        ;;
    esac
    need_python
    wanted="$(cat "$lock" pyproject.toml | sha256sum | cut -c1-32) $(pwd) $("$python" -V)"
    stamp=.venv/made-$(basename "$lock")
    [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && return 0
    say "making the environment in .venv from $lock (the first time takes a minute or two)"
    if [ ! -x .venv/bin/python ] || ! .venv/bin/python -c 'import pip' 2>/dev/null; then
        "$python" -m venv --clear .venv || {
            say "the environment could not be made: is the disk full? (df -h .)"
            exit 1
        }
    fi
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r "$lock" &&
        .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e . || {
        say "the packages could not be installed. Is the network there? Run this again to go on."
        exit 1
    }
    printf '%s' "$wanted" >"$stamp"
}
