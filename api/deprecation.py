"""What is to go: one declaration for the headers of answers and for the OpenAPI document."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Final

from django.urls import reverse
from django.utils.http import http_date


@dataclass(frozen=True, slots=True)
class Deprecation:
    """An address that is deprecated `since` a day and goes at the beginning of the day `ends`."""

    since: date
    ends: date
    instead: str
    """The replacement, as a sentence."""

    @property
    def headers(self) -> Mapping[str, str]:
        """`Deprecation` (RFC 9745), `Sunset` (RFC 8594) and the address of the explanation."""
        return {
            "Deprecation": f"@{_moment(self.since)}",
            "Sunset": http_date(_moment(self.ends)),
            "Link": f'<{reverse("reference")}>; rel="deprecation"',
        }

    @property
    def text(self) -> str:
        return f"Deprecated since {self.since}; from {self.ends} on it is gone. {self.instead}"


def _moment(day: date) -> int:
    return int(datetime.combine(day, time(), UTC).timestamp())


DOUBLE_ENTRY: Final = Deprecation(
    date(2026, 11, 28),
    date(2028, 1, 1),
    "Compare a sheet with the paper instead: `POST …/sheet-check`.",
)
