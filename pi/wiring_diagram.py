"""The wiring, drawn from the settings' own pins: an SVG for the builder's guide.

    python -m pi.wiring_diagram > docs/builder/wiring.svg

The header with every wire that leaves it, and below the five little circuits at their ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Final

from engine.cards import SEAT_NAMES
from pi.gpio import Pins

#: The 40-pin header: the BCM number of each place, or what else is there.
HEADER: Final[tuple[int | str, ...]] = (
    *("3.3 V", "5 V", 2, "5 V", 3, "GND", 4, 14, "GND", 15),
    *(17, 18, 27, "GND", 22, 23, "3.3 V", 24, 10, "GND"),
    *(9, 25, 11, 8, "GND", 7, 0, 1, 5, "GND"),
    *(6, 12, 13, "GND", 19, 16, 26, 20, "GND", 21),
)

#: The drawing shows the camera's light here; in the settings it is none until it is named.
CAMERA_LIGHT: Final = 11

_INK: Final = "#1b2420"
_SOFT: Final = "#66736c"
_BUTTON: Final = "#1f6fb2"
_LIGHT: Final = "#b07a00"
_RELAY: Final = "#b3261e"
_SENSOR: Final = "#2e7d32"
_BUZZER: Final = "#7b3fa0"
_ROW: Final = 27
_TOP: Final = 90
_WIDTH: Final = 1120
_LEFT: Final = 480
_RIGHT: Final = 640


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """One pin of the header and what hangs on it. ``circuit``: the letter of its drawing."""

    bcm: int
    label: str
    circuit: str
    colour: str


def wires(pins: Pins) -> tuple[Wire, ...]:
    """Every wire of the kit, by the settings."""
    found = [
        Wire(bcm=pins.touch, label="shuffler's touch, by relay", circuit="C", colour=_RELAY),
        Wire(bcm=pins.hopper, label="eye on the tray", circuit="D", colour=_SENSOR),
        Wire(bcm=pins.left, label="eye on the left pile", circuit="D", colour=_SENSOR),
        Wire(bcm=pins.right, label="eye on the right pile", circuit="D", colour=_SENSOR),
        Wire(bcm=pins.motor, label="eye on the motor", circuit="D", colour=_SENSOR),
        Wire(bcm=pins.buzzer, label="buzzer", circuit="E", colour=_BUZZER),
    ]
    if pins.camera is not None:
        found.append(
            Wire(bcm=pins.camera, label="camera's light (optional)", circuit="B", colour=_LIGHT)
        )
    for seat, name in enumerate(SEAT_NAMES[:4]):
        found.append(
            Wire(bcm=pins.buttons[seat], label=f"{name}: button", circuit="A", colour=_BUTTON)
        )
        found.append(
            Wire(bcm=pins.lights[seat], label=f"{name}: light", circuit="B", colour=_LIGHT)
        )
    return tuple(found)


def place_of(bcm: int) -> int:
    """The number of the header's pin, 1 to 40, that carries this BCM number."""
    return HEADER.index(bcm) + 1


def _text(
    x: float, y: float, text: str, *, size: int = 15, colour: str = _INK, anchor: str = "start",
    bold: bool = False,
) -> str:  # fmt: skip
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}" '
        f'text-anchor="{anchor}"{weight}>{escape(text)}</text>'
    )


def _line(*points: tuple[float, float], colour: str = _INK, width: float = 2) -> str:
    path = " ".join(f"{x:g},{y:g}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width:g}"/>'


def _box(x: float, y: float, w: float, h: float, label: str, *, size: int = 13) -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" fill="#fff" stroke="{_INK}" '
        f'stroke-width="1.6"/>'
        + _text(x + w / 2, y + h / 2 + 4.5, label, size=size, anchor="middle")
    )


def _circle(x: float, y: float, radius: float, colour: str) -> str:
    return (
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="#fff" stroke="{colour}" '
        'stroke-width="2"/>'
    )


def _diode_up(x: float, y: float) -> str:
    """A diode whose band is on top, at ``y``."""
    return (
        f'<path d="M{x - 10:g} {y + 18:g} L{x + 10:g} {y + 18:g} L{x:g} {y:g} Z" '
        f'fill="#fff" stroke="{_INK}" stroke-width="1.8"/>' + _line((x - 10, y), (x + 10, y))
    )


def _ground(x: float, y: float) -> str:
    return "".join(
        (
            _line((x, y), (x, y + 10)),
            _line((x - 11, y + 10), (x + 11, y + 10), width=2.4),
            _line((x - 7, y + 15), (x + 7, y + 15)),
            _line((x - 3, y + 20), (x + 3, y + 20)),
        )
    )


def _header(pins: Pins) -> Iterator[str]:
    used = {wire.bcm: wire for wire in wires(pins)}
    rows = len(HEADER) // 2
    yield (
        f'<rect x="{_LEFT}" y="{_TOP - 20}" width="{_RIGHT - _LEFT}" height="{rows * _ROW + 12}" '
        f'rx="8" fill="#e4ece7" stroke="{_INK}" stroke-width="1.6"/>'
    )
    yield _text(
        560, _TOP - 32, "pin 1 is at the corner of the board", colour=_SOFT, anchor="middle"
    )
    for number, what in enumerate(HEADER, start=1):
        left = number % 2 == 1
        y = _TOP + (number - 1) // 2 * _ROW
        x = _LEFT + 45 if left else _RIGHT - 45
        wire = used.get(what) if isinstance(what, int) else None
        colour = wire.colour if wire else "#9aa8a0"
        yield f'<circle cx="{x}" cy="{y}" r="7" fill="{colour}"/>'
        yield _text(
            x + (14 if left else -14), y + 4, str(number), size=11, colour=_SOFT,
            anchor="start" if left else "end",
        )  # fmt: skip
        out, anchor = (_LEFT - 16, "end") if left else (_RIGHT + 16, "start")
        if wire is None:
            if isinstance(what, str):
                yield _text(out, y + 5, what, size=13, colour=_SOFT, anchor=anchor)
            continue
        far = 130 if left else _WIDTH - 130
        yield _line((x, y), (far, y), colour=colour)
        # A white ground keeps the name of the pin readable on its wire.
        tag = f"GPIO {what}"
        at = out - 70 if left else out
        yield f'<rect x="{at}" y="{y - 10}" width="70" height="20" fill="#fff"/>'
        yield _text(out, y + 5, tag, size=13, colour=colour, anchor=anchor, bold=True)
        label_x = 140 if left else _WIDTH - 140
        width = 15 + 7.4 * len(wire.label)
        yield (
            f'<rect x="{label_x - 10 if left else label_x + 10 - width:g}" y="{y - 12}" '
            f'width="{width:g}" height="24" fill="#fff"/>'
        )
        yield _text(label_x, y + 5, wire.label, size=14, anchor="start" if left else "end")
        round_x = 110 if left else _WIDTH - 110
        yield _circle(round_x, y, 12, colour)
        yield _text(
            round_x, y + 5, wire.circuit, size=14, colour=colour, anchor="middle", bold=True
        )


def _button(x: float, y: float) -> Iterator[str]:
    yield _text(x, y, "A  seat button (four)", bold=True, colour=_BUTTON)
    yield _text(x, y + 52, "GPIO", size=13)
    yield _line((x + 40, y + 48), (x + 70, y + 48))
    yield _box(x + 70, y + 36, 60, 24, "1 kΩ")
    yield _line((x + 130, y + 48), (x + 165, y + 48))
    yield _line((x + 165, y + 48), (x + 192, y + 34))
    yield _line((x + 195, y + 48), (x + 225, y + 48), (x + 225, y + 56))
    yield _ground(x + 225, y + 56)
    yield _text(x, y + 100, "closes to ground; the pull-up is the Pi's own", size=13, colour=_SOFT)


def _light(x: float, y: float) -> Iterator[str]:
    yield _text(x, y, "B  light (four seats', the camera's)", bold=True, colour=_LIGHT)
    yield _text(x, y + 52, "GPIO", size=13)
    yield _line((x + 40, y + 48), (x + 70, y + 48))
    yield _box(x + 70, y + 36, 60, 24, "330 Ω")
    yield _line((x + 130, y + 48), (x + 160, y + 48))
    yield (
        f'<path d="M{x + 160:g} {y + 38:g} L{x + 160:g} {y + 58:g} L{x + 178:g} {y + 48:g} Z" '
        f'fill="#fff" stroke="{_INK}" stroke-width="1.8"/>'
    )
    yield _line((x + 178, y + 38), (x + 178, y + 58))
    yield _line((x + 178, y + 48), (x + 225, y + 48), (x + 225, y + 56))
    yield _ground(x + 225, y + 56)
    yield _text(x, y + 100, "some 4 mA; the long leg towards the resistor", size=13, colour=_SOFT)


def _sensor(x: float, y: float) -> Iterator[str]:
    yield _text(x, y, "D  eye (none to four, optional)", bold=True, colour=_SENSOR)
    yield _text(x, y + 52, "GPIO", size=13)
    yield _line((x + 40, y + 48), (x + 70, y + 48))
    yield _box(x + 70, y + 36, 60, 24, "1 kΩ")
    yield _line((x + 130, y + 48), (x + 165, y + 48))
    yield _box(x + 165, y + 24, 110, 48, "open collector")
    yield _line((x + 220, y + 24), (x + 220, y + 12))
    yield _text(x + 228, y + 17, "3.3 V (LED: 5 V)", size=12, colour=_SOFT)
    yield _line((x + 220, y + 72), (x + 220, y + 76))
    yield _ground(x + 220, y + 76)
    yield _text(
        x, y + 120, "closes while cards lie there, or the motor turns;", size=13, colour=_SOFT
    )
    yield _text(
        x, y + 138, "on the motor through an opto-coupler, nothing shared", size=13, colour=_SOFT
    )


def _buzzer(x: float, y: float) -> Iterator[str]:
    yield _text(x, y, "E  buzzer (optional)", bold=True, colour=_BUZZER)
    yield _text(x, y + 52, "GPIO", size=13)
    yield _line((x + 40, y + 48), (x + 70, y + 48))
    yield _box(x + 70, y + 36, 60, 24, "330 Ω")
    yield _line((x + 130, y + 48), (x + 160, y + 48))
    yield _box(x + 160, y + 32, 70, 32, "buzzer")
    yield _line((x + 230, y + 48), (x + 250, y + 48), (x + 250, y + 56))
    yield _ground(x + 250, y + 56)
    yield _text(x, y + 100, "an active one, 3 V, under 15 mA;", size=13, colour=_SOFT)
    yield _text(x, y + 118, "or none: a tablet can make the sounds", size=13, colour=_SOFT)


def _relay(x: float, y: float) -> Iterator[str]:
    yield _text(
        x,
        y,
        "C  the shuffler's touch: one pulse, whatever the program does",
        bold=True,
        colour=_RELAY,
    )
    base = y + 130
    yield _text(x, base + 5, "GPIO", size=13)
    yield _line((x + 40, base), (x + 80, base))
    # 10 k to ground holds it off while the Pi starts.
    yield _line((x + 60, base), (x + 60, base + 22))
    yield _box(x + 38, base + 22, 44, 24, "10 kΩ", size=12)
    yield _ground(x + 60, base + 46)
    # The series capacitor: a stuck pin is one pulse.
    yield _line((x + 80, base - 14), (x + 80, base + 14), width=3)
    yield _line((x + 90, base - 14), (x + 90, base + 14), width=3)
    yield _text(x + 85, base - 22, "+ 47 µF", size=12, anchor="middle")
    yield _line((x + 90, base), (x + 130, base))
    yield _line((x + 110, base), (x + 110, base + 26))
    yield _diode_up(x + 110, base + 26)
    yield _ground(x + 110, base + 44)
    yield _text(x + 126, base + 42, "1N4148", size=12)
    yield _box(x + 130, base - 12, 60, 24, "2.2 kΩ")
    yield _line((x + 190, base), (x + 222, base))
    # NPN
    yield _circle(x + 236, base, 24, _INK)
    yield _line((x + 222, base - 14), (x + 222, base + 14), width=3)
    yield _line((x + 222, base - 6), (x + 244, base - 18), (x + 244, base - 46))
    yield _line((x + 222, base + 6), (x + 244, base + 18), (x + 244, base + 34))
    yield _ground(x + 244, base + 34)
    yield _text(x + 266, base + 6, "NPN, BC547 or 2N3904", size=12)
    yield _box(x + 222, base - 84, 44, 38, "coil", size=12)
    yield _line((x + 244, base - 84), (x + 244, base - 102))
    yield _text(x + 244, base - 108, "5 V", size=13, anchor="middle")
    # Flyback diode beside the coil, its band towards 5 V.
    yield _line((x + 244, base - 94), (x + 196, base - 94), (x + 196, base - 78))
    yield _diode_up(x + 196, base - 78)
    yield _line((x + 196, base - 58), (x + 196, base - 40), (x + 244, base - 40))
    yield _text(x + 180, base - 62, "1N4148", size=12, anchor="end")
    # The other side of the relay.
    yield (
        f'<line x1="{x + 300:g}" y1="{base - 120:g}" x2="{x + 300:g}" y2="{base - 24:g}" '
        f'stroke="{_RELAY}" stroke-width="2" stroke-dasharray="7 5"/>'
    )
    yield _text(x + 308, base - 110, "nothing of the Pi's beyond this line", size=12, colour=_RELAY)
    yield _line((x + 330, base - 65), (x + 360, base - 65))
    yield _line((x + 360, base - 65), (x + 386, base - 79))
    yield _line((x + 390, base - 65), (x + 420, base - 65))
    yield _text(x + 375, base - 86, "reed", size=12, anchor="middle")
    yield _box(x + 420, base - 82, 96, 34, "copper foil")
    yield _text(x + 420, base - 32, "on the touch pad", size=12, colour=_SOFT)
    yield _line((x + 330, base - 65), (x + 330, base - 46))
    yield _text(x + 326, base - 32, "shuffler's", size=12, colour=_SOFT)
    yield _text(x + 326, base - 17, "battery minus", size=12, colour=_SOFT)
    for number, text in enumerate(
        (
            "A reed relay of 5 V and 500 Ω or more (10 mA). The capacitor lets one edge through:",
            "some 0.3 s by the parts' values, then the relay falls although the pin may stay high.",
            "Untried on a bench: measure the pulse before the foil is glued on.",
        )
    ):
        yield _text(x, base + 92 + 18 * number, text, size=13, colour=_SOFT)


def svg(pins: Pins | None = None) -> str:
    """The drawing as one SVG file."""
    pins = pins if pins is not None else Pins(camera=CAMERA_LIGHT)
    below = _TOP + len(HEADER) // 2 * _ROW + 50
    height = below + 500
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" '
        f'viewBox="0 0 {_WIDTH} {height}" font-family="Helvetica, Arial, sans-serif">',
        "<title>Upcard: the wiring of the Raspberry Pi's header</title>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
        _text(40, 40, "Upcard: the wires", size=24, bold=True),
        _text(
            _WIDTH - 40,
            40,
            "GPIO numbers are BCM; 3.3 V only on a GPIO",
            colour=_SOFT,
            anchor="end",
        ),
        *_header(pins),
        *_button(40, below),
        *_light(40, below + 130),
        *_sensor(40, below + 260),
        *_relay(460, below),
        *_buzzer(460, below + 310),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    print(svg(), end="")
