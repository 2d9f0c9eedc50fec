#!/bin/sh
# Runs pi/camera.py against the real picamera2, over libcamera's virtual pipeline, in a Trixie root.
#   sudo tests/deploy/picamera2_virtual.sh [FOLDER [BASE.tar]]
# No camera, no kernel module, nothing of this machine mounted: needs root, mmdebstrap, the
# network, and ../shared/tools/picamera2_virtual (or where UPCARD_SHARED says). Some three
# minutes, 900 MB; not part of the tests. What the virtual camera cannot do is listed in
# virtual_camera.py: it makes NV12 only and knows no exposure or focus.
set -eu
cd "$(dirname "$0")/../.."
shims=${UPCARD_SHARED:-../shared}/tools/picamera2_virtual
[ -f "$shims/vcam.py" ] || { echo "$shims/vcam.py is not there: set UPCARD_SHARED" >&2; exit 1; }
folder=${1:-$(mktemp -d /tmp/upcard-camera.XXXXXX)}
base=${2:-$folder/camera-base.tar}
root=$folder/root
mkdir -p "$folder"
if [ ! -s "$base" ]; then
    mmdebstrap --mode=root --variant=minbase --components=main \
        --include=python3,python3-libcamera,python3-numpy,python3-pil,python3-prctl,python3-jsonschema,python3-tqdm,python3-libarchive-c,python3-piexif,python3-venv,python3-setuptools,python3-dev,gcc,libc6-dev,ca-certificates \
        trixie "$base"
fi
rm -rf "$root"
mkdir -p "$root"
tar -C "$root" --exclude=./dev -xf "$base"
mkdir -p "$root/dev"
mknod -m 666 "$root/dev/null" c 1 3
mknod -m 444 "$root/dev/urandom" c 1 9
cp -L /etc/resolv.conf "$root/etc/"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
mkdir -p "$root/opt/w/upcard" "$root/usr/share/libcamera/pipeline/virtual"
cp "$shims/vcam.py" tests/deploy/virtual_camera.py "$root/opt/w/"
for part in engine pi vision; do
    tar -c --exclude=__pycache__ "$part" | tar -x -C "$root/opt/w/upcard"
done
cat >"$root/usr/share/libcamera/pipeline/virtual/virtual.yaml" <<'YAML'
%YAML 1.1
---
"Table0":
  supported_formats:
  - {width: 1280, height: 720, frame_rates: [30, 30]}
  - {width: 640, height: 360, frame_rates: [30, 30]}
  frames: {path: "/opt/w/frames/"}
  location: "CameraLocationFront"
  model: "Simulated table"
YAML
inside() {
    chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
        PIP_CERT=/etc/ssl/certs/ca-certificates.crt SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
        PIP_DEFAULT_TIMEOUT=180 "$@"
}
inside python3 -m venv --system-site-packages /opt/w/v
inside /opt/w/v/bin/pip install -q --no-deps picamera2 simplejpeg videodev2 av opencv-python-headless
inside /opt/w/v/bin/pip install -q --no-deps --no-build-isolation PiDNG
inside /opt/w/v/bin/python -u /opt/w/virtual_camera.py
