"""Previews of penalties and bonuses, added or withdrawn: made, then rolled back."""

from collections.abc import Callable
from datetime import date, datetime

from tournaments.models.events import Event
from tournaments.models.standings import LedgerLine
from tournaments.services.previewing.diff import Preview
from tournaments.services.previewing.run_preview import do_as_previewed, try_change


def preview_line(
    event: Event, change: Callable[[], LedgerLine], *, day: date | None, now: datetime
) -> Preview:
    """Return what `change` would do to the season, and to the evening of a `day`; nothing is
    stored."""
    effects = try_change(event, "", change, lambda _line: None, now=now, day=day)[-1]
    return effects


def change_line_as_previewed(
    event: Event,
    change: Callable[[], LedgerLine],
    *,
    day: date | None,
    digest: str,
    now: datetime,
) -> LedgerLine:
    """Do `change`, if it does what was previewed under `digest`; else nothing is saved."""

    def attempt() -> tuple[Preview, None]:
        return preview_line(event, change, day=day, now=now), None

    return do_as_previewed("change_line_as_previewed", event, attempt, change, digest)
