"""The stages of an evening, each with the figure that was reached: attendance, seating, play,
close, publish. Every page about the evening shows the same line on top.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.models.events import Event, EventState
from tournaments.models.meetings import Meeting, Round, RoundState
from tournaments.selectors.rounds.round_progress import (
    EveningFigures,
    RoundProgress,
)

StageKey: TypeAlias = Literal["attendance", "seating", "play", "close", "publish"]


_STARTED: Final = (RoundState.POSTED, RoundState.PLAYING, RoundState.CLOSED)


@dataclass(frozen=True, slots=True)
class EveningStage:
    """A stage in words with its figure; `url` is empty where it has no page yet.

    `is_current` marks the stage that the page is about, else the first one that is not done.
    """

    key: StageKey
    text: str
    url: str
    is_done: bool
    is_current: bool = False


def evening_stages(
    event: Event,
    meeting: Meeting | None,
    *,
    round_: Round | None = None,
    rounds: Sequence[RoundProgress] | None = None,
    page: StageKey | None = None,
) -> tuple[EveningStage, ...]:
    figures = EveningFigures(event, meeting, round_=round_, rounds=rounds)
    stages = [
        _seating(event, meeting, figures),
        _play(event, figures),
        _close(event, figures),
        _publish(event, figures),
    ]
    if meeting is not None:
        stages.insert(0, _attendance(event, meeting, figures))
    complete = [place for place, stage in enumerate(stages) if stage.is_done]
    is_begun = page is None and event.state != EventState.DRAFT
    following = (complete[-1] + 1 if complete else 0) if is_begun else None
    return tuple(
        replace(stage, is_current=place == following or stage.key == page)
        for place, stage in enumerate(stages)
    )


def _url(event: Event, name: str, *args: object) -> str:
    return reverse(f"tournaments:{name}", args=(event.club.slug, event.slug, *args))


def _attendance(event: Event, meeting: Meeting, figures: EveningFigures) -> EveningStage:
    if figures.here is None:
        text = _("Attendance: not recorded")
    else:
        text = _("Attendance: %(counts)s") % {"counts": attendance_counts(figures)}
    round_ = figures.round
    is_seated = round_ is not None and round_.tables > 0 and figures.next_round is None
    is_done = bool(figures.here) and (figures.has_plan or is_seated)
    url = _url(event, "attendance", meeting.date.isoformat())
    return EveningStage("attendance", text, url, is_done)


def attendance_counts(figures: EveningFigures) -> str:
    """Return "18 here, 2 late, 1 expected"; zeros are left out, except for "here"."""
    parts = [_("%(n)s here") % {"n": figures.here or 0}]
    if figures.late:
        parts.append(_("%(n)s late") % {"n": figures.late})
    if figures.expected:
        parts.append(_("%(n)s expected") % {"n": figures.expected})
    return ", ".join(parts)


def _seating(event: Event, meeting: Meeting | None, figures: EveningFigures) -> EveningStage:
    round_ = figures.round
    page = _url(event, "evening-seating", meeting.date.isoformat()) if meeting is not None else ""
    if figures.next_round is not None:
        text = _("Seating of round %(number)s") % {"number": figures.next_round}
        return EveningStage("seating", text, page, is_done=False)
    url = _url(event, "round", round_.number) if round_ else page
    if round_ is None or not round_.tables:
        return EveningStage("seating", _("Seating"), url, is_done=False)
    text = ngettext("Seating: %(n)s table", "Seating: %(n)s tables", round_.tables) % {
        "n": round_.tables
    }
    is_posted = round_.state in _STARTED
    if not is_posted:
        text = ngettext(
            "Seating: %(n)s table, not posted", "Seating: %(n)s tables, not posted", round_.tables
        ) % {"n": round_.tables}
    return EveningStage("seating", text, url, is_posted)


def _play(event: Event, figures: EveningFigures) -> EveningStage:
    round_ = figures.round
    if round_ is None or figures.next_round is not None or round_.state not in _STARTED:
        return EveningStage("play", _("Play"), "", is_done=False)
    text = _("Play round %(number)s: %(n)s of %(of)s sheets in") % {
        "number": round_.number,
        "n": round_.tables - round_.open_tables,
        "of": round_.tables,
    }
    is_done = round_.is_complete or round_.state == RoundState.CLOSED
    return EveningStage("play", text, _url(event, "board", round_.number), is_done)


def _close(event: Event, figures: EveningFigures) -> EveningStage:
    round_ = figures.round
    if round_ is None or figures.next_round is not None or round_.state not in _STARTED:
        return EveningStage("close", _("Close round"), "", is_done=False)
    if round_.state == RoundState.CLOSED:
        text = _("Round %(number)s closed") % {"number": round_.number}
        return EveningStage("close", text, _url(event, "round", round_.number), is_done=True)
    text = _("Close round %(number)s") % {"number": round_.number}
    return EveningStage("close", text, _url(event, "round", round_.number), is_done=False)


def _publish(event: Event, figures: EveningFigures) -> EveningStage:
    round_ = figures.round
    if figures.publication is None:
        return EveningStage("publish", _("Publish"), "", is_done=False)
    is_closed = (
        round_ is not None and round_.state == RoundState.CLOSED and figures.next_round is None
    )
    is_done = is_closed and figures.is_published and event.visibility != "held"
    text = (
        _("Published: publication %(number)s") % {"number": figures.publication}
        if is_done
        else _("Publish")
    )
    return EveningStage("publish", text, _url(event, "event"), is_done)
