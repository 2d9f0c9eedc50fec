"""The kit's own certificate: made once, trusted once, renewed unseen, good for the home only."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pi.certificate import RENEW_BEFORE, SERVER_DAYS, certificate_in, names_of
from pi.errors import NoCertificate

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is absent")

HOME = "192.168.7.20"


def asked(*words: str) -> str:
    done = subprocess.run(["openssl", *words], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_a_certificate_is_made_for_the_names_of_the_kit(tmp_path: Path) -> None:
    files = certificate_in(tmp_path / "tls", address=HOME, host="euchre")
    told = asked("x509", "-in", str(files.certificate), "-noout", "-text")
    for name in ("DNS:localhost", "DNS:euchre.local", "IP Address:127.0.0.1", f"Address:{HOME}"):
        assert name in told
    assert "OK" in asked("verify", "-CAfile", str(files.root), str(files.certificate))
    # A browser refuses a server's certificate of more than 398 days.
    assert SERVER_DAYS <= 398
    ssl.create_default_context(cafile=files.root).load_cert_chain(files.certificate, files.key)


def test_keys_are_for_their_owner_only(tmp_path: Path) -> None:
    certificate_in(tmp_path / "tls", address=HOME, host="euchre")
    for key in ("server.key", "root.key"):
        assert (tmp_path / "tls" / key).stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in (tmp_path / "tls").iterdir()) == [
        "root.key",
        "root.pem",
        "server.key",
        "server.pem",
    ]


def test_the_next_start_takes_the_same_certificate(tmp_path: Path) -> None:
    files = certificate_in(tmp_path / "tls", address=HOME, host="euchre")
    before = files.certificate.read_bytes(), files.root.read_bytes()
    again = certificate_in(tmp_path / "tls", address=HOME, host="euchre")
    assert (again.certificate.read_bytes(), again.root.read_bytes()) == before


@pytest.mark.parametrize("change", ["address", "age"])
def test_it_is_renewed_when_it_must_be_and_the_root_stays(tmp_path: Path, change: str) -> None:
    files = certificate_in(tmp_path / "tls", address=HOME, host="euchre")
    server, root = files.certificate.read_bytes(), files.root.read_bytes()
    later = datetime.now(UTC) + timedelta(days=SERVER_DAYS) - RENEW_BEFORE + timedelta(days=1)
    certificate_in(
        tmp_path / "tls",
        address="10.1.2.3" if change == "address" else HOME,
        host="euchre",
        now=later if change == "age" else None,
    )
    assert files.certificate.read_bytes() != server
    assert files.root.read_bytes() == root
    assert "OK" in asked("verify", "-CAfile", str(files.root), str(files.certificate))


def test_the_root_signs_nothing_but_names_of_the_home(tmp_path: Path) -> None:
    files = certificate_in(tmp_path / "tls", address=HOME, host="euchre")
    ext, csr, crt = (tmp_path / name for name in ("bank.ext", "bank.csr", "bank.crt"))
    ext.write_text("subjectAltName=DNS:bank.example\n")
    asked("req", "-new", "-key", str(files.key), "-out", str(csr), "-subj", "/CN=bank")
    asked(
        "x509", "-req", "-in", str(csr), "-CA", str(files.root),
        "-CAkey", str(tmp_path / "tls" / "root.key"), "-out", str(crt), "-extfile", str(ext),
        "-set_serial", "7",
    )  # fmt: skip
    assert "permitted subtree violation" in asked("verify", "-CAfile", str(files.root), str(crt))


def test_an_address_of_the_wide_world_is_left_out(tmp_path: Path) -> None:
    assert "8.8.8.8" not in names_of("euchre", address="8.8.8.8")
    files = certificate_in(tmp_path / "tls", address="8.8.8.8", host="euchre")
    assert "OK" in asked("verify", "-CAfile", str(files.root), str(files.certificate))


def test_without_openssl_the_cure_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(NoCertificate, match="sudo apt-get install openssl"):
        certificate_in(tmp_path / "tls", address=HOME, host="euchre")


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "tls").write_text("a file where a folder should be")
    with pytest.raises(NoCertificate, match="run without --tls"):
        certificate_in(tmp_path / "tls", address=HOME, host="euchre")
