"""The page is small on the wire, and a browser asks for little of it."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from web_dashboard.errors import BadModule
from web_dashboard.joined import PAGES, join_modules, modules_of

#: What a first visit may take, in bytes on the wire, headers left out.
FIRST_VIEW_BYTES = 150_000


def linked(html: str) -> list[str]:
    """What a page names in its head, in order, each once."""
    return list(dict.fromkeys(re.findall(r'(?:href|src)="(/(?:static|joined)/[^"]+)"', html)))


def on_the_wire(client: Any, address: str) -> int:
    answer = client.get(address, headers={"Accept-Encoding": "gzip"})
    assert answer.status_code == 200, address
    return len(answer.data)


#: The board with a deal on it draws the four cards of a trick and the up-card; the largest.
FACES = ("Qh", "Kh", "Qd", "Qc", "Qs")


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_first_view_of_the_board_is_within_its_budget(client: Any, language: str) -> None:
    page = client.get("/").text
    total = on_the_wire(client, "/")
    total += sum(on_the_wire(client, address) for address in linked(page))
    total += sum(on_the_wire(client, f"/static/cards/{card}.svg") for card in FACES)
    total += on_the_wire(client, "/api/snapshot") + on_the_wire(client, "/api/me")
    if language == "de":
        total += on_the_wire(client, "/static/words/de.json")
    assert total < FIRST_VIEW_BYTES, total


@pytest.mark.parametrize("page", ["/", "/seat/1", "/director", "/replay", "/join", "/statistics"])
def test_a_page_asks_for_one_script_and_one_style_beside_the_first(client: Any, page: str) -> None:
    named = linked(client.get(page).text)
    kinds = sorted(name.rsplit("/", 2)[1] + "/" + name.rsplit(".", 1)[1] for name in named)
    assert kinds == ["joined/css", "joined/js", "js/js", "static/svg"]


@pytest.mark.parametrize("page", sorted(PAGES))
def test_a_joined_script_holds_each_module_once_and_after_those_it_needs(
    client: Any, root: Path, page: str
) -> None:
    static = root / "web_dashboard/static/js"
    files = modules_of(("device.js", "access.js", *PAGES[page].scripts))
    assert len(set(files)) == len(files)
    for place, file in enumerate(files):
        wanted = re.findall(r' from "(\.[^"]+)"', file.read_text())
        assert {(file.parent / name).resolve() for name in wanted} <= set(files[:place]), file
    lines = join_modules(files).splitlines()
    for file in files:
        inside = [line for line in file.read_text().splitlines() if line.startswith("  ")]
        assert set(inside) <= set(lines), file
        assert file.is_relative_to(static)


def module(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    "line",
    [
        'import Everything from "./one.js";',
        'import * as one from "./one.js";',
        "export default 3;",
        "export let changing = 1;",
        "export * from './one.js';",
        'const late = await import("./one.js");',
        "const here = import.meta.url;",
    ],
)
def test_what_cannot_be_joined_is_named_and_not_joined(tmp_path: Path, line: str) -> None:
    one = module(tmp_path, "one.js", "export const one = 1;\n")
    two = module(tmp_path, "two.js", f"{line}\n")
    with pytest.raises(BadModule, match=r"two\.js"):
        join_modules([one, two], Path.read_text)


def test_modules_that_need_each_other_are_refused(tmp_path: Path) -> None:
    one = module(tmp_path, "one.js", 'import { two } from "./two.js";\nexport const one = 1;\n')
    module(tmp_path, "two.js", 'import { one } from "./one.js";\nexport const two = 2;\n')
    with pytest.raises(BadModule, match="imports itself"):
        modules_of((str(one),), Path.read_text)


def test_a_module_that_is_missing_is_refused(tmp_path: Path) -> None:
    two = module(tmp_path, "two.js", 'import { one } from "./one.js";\n')
    with pytest.raises(BadModule, match="not among the files"):
        join_modules([two], Path.read_text)


def test_joined_files_are_kept_for_ever_by_a_name_that_changes_with_them(client: Any) -> None:
    for address in (a for a in linked(client.get("/").text) if a.startswith("/joined/")):
        kept = client.get(address)
        assert "immutable" in kept.headers["Cache-Control"], address
        old = re.sub(r"-[0-9a-f]{16}\.", "-0123456789abcdef.", address)
        now = client.get(old)
        assert now.data == kept.data
        assert now.headers["Cache-Control"] == "no-store", "an old name is not kept"


@pytest.mark.parametrize("address", ["/joined/nobody-0123.js", "/joined/live-0123.py", "/joined/-"])
def test_nothing_else_is_among_the_joined_files(client: Any, address: str) -> None:
    assert client.get(address).status_code == 404


def test_the_board_brings_the_state_it_was_sent_in_along(client: Any) -> None:
    page = client.get("/").text
    found = re.search(r'<script type="application/json" id="first-snapshot">(.*?)</script>', page)
    assert found is not None
    assert json.loads(found[1]) == client.get("/api/snapshot").json


def test_no_name_gets_out_of_the_state_within_the_page(client: Any, hands: Any) -> None:
    name = "</script><!--<b>"
    hands.start(names=(name, "East", "South", "West"))
    until_s = time.monotonic() + 30
    while not client.get("/api/snapshot").json["game"]["id"]:
        assert time.monotonic() < until_s, "the snapshot never came up to the table"
        time.sleep(0.01)
    page = client.get("/").text
    found = re.search(r'<script type="application/json" id="first-snapshot">(.*?)</script>', page)
    assert found is not None
    assert json.loads(found[1])["seats"][0]["name"] == name


def test_a_script_is_packed_for_who_takes_it_and_plain_for_who_does_not(client: Any) -> None:
    plain = client.get("/static/js/live.js")
    packed = client.get("/static/js/live.js", headers={"Accept-Encoding": "br, gzip"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert int(packed.headers["Content-Length"]) == len(packed.data)
    assert "Accept-Encoding" in packed.headers["Vary"]


def test_what_has_not_changed_is_not_sent_again(client: Any) -> None:
    first = client.get("/static/js/live.js", headers={"Accept-Encoding": "gzip"})
    again = client.get(
        "/static/js/live.js",
        headers={"Accept-Encoding": "gzip", "If-None-Match": first.headers["ETag"]},
    )
    assert (again.status_code, again.data) == (304, b"")


def test_answers_that_may_hold_a_secret_are_not_packed(client: Any) -> None:
    for address in ("/api/me", "/api/codes", "/api/snapshot"):
        told = client.get(address, headers={"Accept-Encoding": "gzip"})
        assert "Content-Encoding" not in told.headers, address


def test_a_head_request_and_an_error_are_left_alone(client: Any) -> None:
    headers = {"Accept-Encoding": "gzip"}
    assert client.head("/static/js/live.js", headers=headers).status_code == 200
    assert client.get("/static/js/none.js", headers=headers).status_code == 404


# --- files that change under a running kit --------------------------------------------------------

#: Asks a kit for its pages, spoils every file they are made of, and asks again.
UPDATED = """
import re, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import web_dashboard
from engine.memory_log import MemoryLog
from engine.table import Table
home = Path(web_dashboard.__file__).parent
assert home.is_relative_to(sys.argv[1]), home
log = MemoryLog()
app = web_dashboard.create_app(
    Table(log, clock_us=lambda: 1), log, web_dashboard.PageSettings(table_kind="hand")
)
client = app.test_client()
first = client.get("/").text
asked = [
    *re.findall(r'"(/(?:static|joined)/[^"]+)"', first),
    "/", "/seat/1", "/director", "/replay", "/join", "/statistics", "/shuffle", "/keeper",
    "/keeper/file", "/keeper-worker.js", "/static/words/de.json", "/static/js/words.js",
    "/static/cards/Kd.svg", "/cards/four/Kd.svg", "/nowhere",
]
# Some are asked for before the update, most only after it.
before = {address: client.get(address).data for address in asked[::3]}
for folder in ("static", "templates"):
    for number, file in enumerate(f for f in (home / folder).rglob("*") if f.is_file()):
        file.unlink() if number % 2 else file.write_text("of another version")
for address in asked:
    answer = client.get(address)
    assert answer.status_code == (404 if address == "/nowhere" else 200), (address, answer.status)
    assert b"of another version" not in answer.data, address
    assert before.get(address, answer.data) == answer.data, address
app.extensions["upcard"].close()
print(len(asked))
"""


def test_a_kit_whose_folder_is_reached_by_a_link_serves_its_pages(
    root: Path, tmp_path: Path
) -> None:
    """As ``/opt/upcard/current`` is, which names the version in use."""
    (tmp_path / "current").symlink_to(root)
    asks = (
        "import sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "import web_dashboard\n"
        "from web_dashboard.joined import PAGES, Joins\n"
        "assert web_dashboard.__file__.startswith(sys.argv[1]), web_dashboard.__file__\n"
        "print([bool(Joins().of(page, kind).text) for page in PAGES for kind in ('js', 'css')])\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", asks, str(tmp_path / "current")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert told.returncode == 0, told.stderr
    assert "True" in told.stdout
    assert "False" not in told.stdout


def test_an_update_under_a_running_kit_changes_nothing_that_it_serves(
    root: Path, tmp_path: Path
) -> None:
    for package in ("engine", "web_dashboard"):
        shutil.copytree(
            root / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    told = subprocess.run(
        [sys.executable, "-c", UPDATED, str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert told.returncode == 0, told.stderr
    assert int(told.stdout) > 15
