"""The kit's own certificate, for HTTPS in a home that no public authority knows.

A root is made once and kept; each device trusts it once. The server's certificate is signed by
it, short-lived, and renewed without anybody noticing. Everything is asked of ``openssl``, which
every Debian and Raspberry Pi OS has: a library for one command a year would be the kit's
largest dependency on a Pi after the model.

The root may sign names of the home only (RFC 5280, name constraints), so that a stolen kit
cannot pass for a bank to a tablet that trusts it.
"""

from __future__ import annotations

import ipaddress
import os
import shutil
import socket
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from pi.errors import NoCertificate
from web_dashboard.tls import TlsFiles

ROOT_DAYS: Final = 3650
#: Browsers refuse server certificates that live longer than 398 days.
SERVER_DAYS: Final = 397
#: A certificate this near its end is made anew at the next start.
RENEW_BEFORE: Final = timedelta(days=60)

#: All that the root may sign: names that no public authority gives out, and addresses at home.
_HOME_NAMES: Final = ("localhost", "local", "lan", "home", "home.arpa", "internal")
_HOME_NETWORKS: Final = tuple(
    ipaddress.ip_network(network)
    for network in (
        "127.0.0.0/8",
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "169.254.0.0/16",
        "::1/128",
        "fc00::/7",
        "fe80::/10",
    )
)
_CONSTRAINTS: Final = ",".join(
    (
        "critical",
        *(f"permitted;DNS:{name}" for name in _HOME_NAMES),
        *(f"permitted;IP:{net.network_address}/{net.netmask}" for net in _HOME_NETWORKS),
    )
)


def names_of(host: str, *, address: str | None) -> tuple[str, ...]:
    """What the kit may be called: ``localhost``, ``HOST.local``, its address at home.

    An address of the wide world is left out: the root may not sign it.
    """
    short = host.split(".")[0].lower() or "upcard"
    names = ["localhost", f"{short}.local", "127.0.0.1"]
    if address is not None and any(
        ipaddress.ip_address(address) in network for network in _HOME_NETWORKS
    ):
        names.append(address)
    return tuple(dict.fromkeys(names))


def certificate_in(
    folder: Path,
    *,
    address: str | None,
    host: str | None = None,
    now: datetime | None = None,
) -> TlsFiles:
    """The certificate in ``folder``, made or renewed where that is needed.

    ``address``: this machine's in its own network; a certificate that does not name it is made
    anew. Raise :class:`NoCertificate` where ``openssl`` is absent, fails, or the folder cannot
    be written.
    """
    names = names_of(host if host is not None else socket.gethostname(), address=address)
    files = TlsFiles(
        certificate=folder / "server.pem", key=folder / "server.key", root=folder / "root.pem"
    )
    root_key = folder / "root.key"
    moment = now if now is not None else datetime.now(UTC)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (files.root.exists() and root_key.exists()) or _ends(files.root) < moment:
            _make_root(folder, files.root, root_key)
        if not _still_good(files, names, moment):
            _make_server(folder, files, root_key, names)
    except OSError as error:
        raise NoCertificate(
            f"the certificate cannot be kept in {folder} ({error.strerror or error}): make the "
            "folder writable for the kit, or run without --tls"
        ) from error
    return files


def _make_root(folder: Path, root: Path, key: Path) -> None:
    _new_key(key)
    _openssl(
        "req", "-x509", "-new", "-key", str(key), "-out", str(_fresh(root)),
        "-days", str(ROOT_DAYS), "-subj", "/CN=Upcard kit root/O=Upcard",
        "-addext", "basicConstraints=critical,CA:TRUE,pathlen:0",
        "-addext", "keyUsage=critical,keyCertSign,cRLSign",
        "-addext", f"nameConstraints={_CONSTRAINTS}",
    )  # fmt: skip
    # What the old root signed is worth nothing now.
    (folder / "server.pem").unlink(missing_ok=True)


def _make_server(folder: Path, files: TlsFiles, root_key: Path, names: Sequence[str]) -> None:
    _new_key(files.key)
    request, signed = folder / "server.csr", folder / "server.crt"
    said = ",".join(f"{'IP' if _is_address(name) else 'DNS'}:{name}" for name in names)
    extensions = folder / "server.ext"
    extensions.write_text(
        "basicConstraints=critical,CA:FALSE\n"
        "keyUsage=critical,digitalSignature\n"
        "extendedKeyUsage=serverAuth\n"
        f"subjectAltName={said}\n",
        encoding="ascii",
    )
    try:
        _openssl(
            "req", "-new", "-key", str(files.key), "-out", str(request), "-subj", "/CN=Upcard kit"
        )
        _openssl(
            "x509", "-req", "-in", str(request), "-CA", str(files.root), "-CAkey", str(root_key),
            "-out", str(signed), "-days", str(SERVER_DAYS), "-sha256",
            "-set_serial", str(int.from_bytes(os.urandom(15), "big")),
            "-extfile", str(extensions),
        )  # fmt: skip
        chain = signed.read_text(encoding="ascii") + files.root.read_text(encoding="ascii")
        beside = files.certificate.with_suffix(".new")
        beside.write_text(chain, encoding="ascii")
        beside.replace(files.certificate)
    finally:
        for left in (request, signed, extensions):
            left.unlink(missing_ok=True)


def _new_key(path: Path) -> None:
    """A private key that only its owner may read, from its first moment."""
    path.unlink(missing_ok=True)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    _openssl(
        "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", str(path)
    )


def _fresh(path: Path) -> Path:
    path.unlink(missing_ok=True)
    return path


def _still_good(files: TlsFiles, names: Sequence[str], now: datetime) -> bool:
    if not (files.certificate.exists() and files.key.exists()):
        return False
    if _ends(files.certificate) - now < RENEW_BEFORE:
        return False
    told = _openssl("x509", "-in", str(files.certificate), "-noout", "-ext", "subjectAltName")
    named = {part.split(":", 1)[-1].strip() for part in told.replace("\n", ",").split(",")}
    return set(names) <= named


def _ends(certificate: Path) -> datetime:
    """When the certificate ends."""
    told = _openssl("x509", "-in", str(certificate), "-noout", "-enddate")
    text = told.strip().removeprefix("notAfter=")
    return datetime.strptime(text, "%b %d %H:%M:%S %Y GMT").replace(tzinfo=UTC)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _openssl(*words: str) -> str:
    """What ``openssl`` said; raise NoCertificate with its last line where it failed."""
    program = shutil.which("openssl")
    if program is None:
        raise NoCertificate(
            "--tls needs the program openssl, which is not here: sudo apt-get install openssl"
        )
    done = subprocess.run(
        [program, *words], capture_output=True, text=True, check=False, timeout=60
    )
    if done.returncode != 0:
        why = done.stderr.strip().splitlines() or ["it said nothing"]
        raise NoCertificate(
            f"openssl {words[0]} failed: {why[-1]}: delete the folder of the certificate and "
            "start again"
        )
    return done.stdout
