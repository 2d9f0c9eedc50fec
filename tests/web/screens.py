"""A page in Debian's chromium, as a person meets it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

TABLET = (1280, 800)
PHONE = (390, 844)
SIZES = (TABLET, PHONE, (800, 1280), (844, 390))


class Screen:
    """One tablet or phone: what a person sees, taps and waits for."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def shape(self, width_px: int, height_px: int, *, scheme: Literal["light", "dark"]) -> None:
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {
                "width": width_px,
                "height": height_px,
                "deviceScaleFactor": 1,
                "mobile": min(width_px, height_px) < 500,
            },
        )
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {
                "features": [
                    {"name": "prefers-color-scheme", "value": scheme},
                    {"name": "prefers-reduced-motion", "value": "reduce"},
                ]
            },
        )

    def open(self, url: str) -> None:
        self.driver.get(url)
        self.wait(
            "!document.querySelector('#link') || document.querySelector('#link')"
            ".dataset.state === 'live'"
        )

    def ask(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def wait(self, true: str, timeout_s: float = 10.0) -> None:
        """Until a condition in the page's own words holds; the page's clock, not ours."""
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.driver, timeout_s, poll_frequency=0.05).until(
            lambda _: self.ask(f"return Boolean({true})"), f"never true: {true}"
        )

    def find(self, selector: str) -> Any:
        self.wait(f"document.querySelector({selector!r})")
        return self.driver.find_element("css selector", selector)

    def text(self, selector: str) -> str:
        return str(self.find(selector).text)

    def tap(self, selector: str) -> None:
        element = self.find(selector)
        self.ask("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def tap_words(self, words: str, within: str = "body") -> None:
        """Tap the button that says ``words``."""
        self.wait(
            f"[...document.querySelectorAll({within + ' button'!r})]"
            f".some((b) => b.textContent.trim() === {words!r} && !b.disabled)"
        )
        for button in self.driver.find_elements("css selector", f"{within} button"):
            if button.get_attribute("textContent").strip() == words:
                self.ask("arguments[0].scrollIntoView({block: 'center'})", button)
                button.click()
                return
        raise AssertionError(f"no button says {words!r}")

    def complaints(self) -> list[str]:
        """What the console said: scripts that failed, things the policy blocked."""
        return [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] == "SEVERE"
            and "/events" not in entry["message"]
            and "ERR_CONNECTION_REFUSED" not in entry["message"]
        ]


@contextmanager
def fresh_screen(driver: Any) -> Iterator[Screen]:
    """A screen on a light tablet, with nothing left of earlier tests but the browser itself."""
    driver.get("about:blank")
    driver.get_log("browser")
    screen = Screen(driver)
    screen.shape(*TABLET, scheme="light")
    yield screen
    driver.get("about:blank")
