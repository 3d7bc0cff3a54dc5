"""The accent colour of a club: read, and made readable on light and on dark pages.

Contrast is that of WCAG 2.2; text needs 4.5:1. The colour itself is used on light pages. Dark
pages use a tint of it, mixed with as much white as needed.
"""

import re
from typing import Final

LEAST_CONTRAST: Final = 4.5
"""Contrast of text and its background."""
ON_LIGHT: Final = ("#f6f4ee", "#fffefb", "#ece8de", "#ffffff")
"""Backgrounds of light pages, as in static/blacklady/look.css; white is text on the colour."""
ON_DARK: Final = ("#14161a", "#1b1e23", "#24282f", "#122f39", "#0b1e25")
"""Backgrounds of dark pages; the last one is text on the tint."""

STANDARD: Final = "#0a5167"
"""The accent of a club that has chosen none, as in static/blacklady/look.css."""

_COLOUR: Final = re.compile(r"#[0-9a-f]{6}")
_STEPS: Final = 100


def read_colour(text: str) -> str | None:
    """Return a colour in lower case; None if the text is no colour.

    >>> read_colour(" #7A1F3D "), read_colour("7a1f3d"), read_colour("red")
    ('#7a1f3d', '#7a1f3d', None)
    """
    colour = f"#{text.strip().lower().removeprefix('#')}"
    return colour if _COLOUR.fullmatch(colour) else None


def contrast(colour: str, other: str) -> float:
    """Return the contrast of two colours, 1 to 21.

    >>> contrast("#000000", "#ffffff"), contrast("#777777", "#777777")
    (21.0, 1.0)
    """
    dark, light = sorted((_luminance(colour), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def contrast_on_light(colour: str) -> float:
    """Return the least contrast of a colour with the backgrounds of light pages."""
    return min(contrast(colour, behind) for behind in ON_LIGHT)


def dark_tint(colour: str) -> str:
    """Return the tint of a colour for dark pages.

    >>> dark_tint("#7a1f3d"), dark_tint("#000000")
    ('#b68494', '#949494')
    """
    for step in range(_STEPS + 1):
        white = step / _STEPS
        parts = (round(part + (255 - part) * white) for part in _parts(colour))
        tint = "#" + "".join(f"{part:02x}" for part in parts)
        if min(contrast(tint, behind) for behind in ON_DARK) >= LEAST_CONTRAST:
            return tint
    raise AssertionError("white is readable on every dark background")


def accent_css(colour: str) -> str:
    """Return the stylesheet that replaces the standard accent with a colour."""
    light = f"--accent: {colour}; --link: {colour}; --on-accent: #fff;"
    accent = f"light-dark({colour}, {dark_tint(colour)})"
    dark = f"--accent: {accent}; --link: {accent}; --on-accent: light-dark(#fff, {ON_DARK[-1]});"
    supported = "color: light-dark(#000, #fff)"
    return f":root {{ {light} }}\n@supports ({supported}) {{ :root {{ {dark} }} }}\n"


def _luminance(colour: str) -> float:
    shares = (part / 255 for part in _parts(colour))
    linear = [
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
