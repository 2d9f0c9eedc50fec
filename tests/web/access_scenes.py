"""People who come in with a code: as an HTTP client, and in a browser."""

from __future__ import annotations

from typing import Any

from web_dashboard import PageServer
from web_dashboard.access import viewer_of
from web_dashboard.guard import session_for


def join(app: Any, holder: str) -> Any:
    """A client that came in with the code of ``holder`` and sends the token with every tap."""
    client = app.test_client()
    told = client.post("/api/join", json={"code": app.extensions["upcard-access"].code(holder)})
    assert told.status_code == 200, told.text
    client.environ_base["HTTP_X_UPCARD_TOKEN"] = told.json["token"]
    return client


def sit(driver: Any, server: PageServer, holder: str | None) -> None:
    """Let the browser act for ``holder`` at this page: the cookie the join page would get.

    None: it only watches.
    """
    app = server.app
    access = app.extensions["upcard-access"]
    driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    if holder is None:
        return
    serializer = app.session_interface.get_signing_serializer(app)
    held = session_for(access, viewer_of(holder)) | {"_permanent": True}
    driver.execute_cdp_cmd(
        "Network.setCookie",
        {
            "name": access.cookie_name,
            "value": serializer.dumps(held),
            "url": server.url,
            "httpOnly": True,
            "sameSite": "Strict",
        },
    )
