"""Making events, their settings, and their states."""

import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Final

from django.db import IntegrityError, transaction

from scoring.errors import Problem, Refused
from scoring.standings.rank import PRIMARIES, TIE_BREAKS
from tournaments.errors import Conflict
from tournaments.models.clubs import Club, Player
from tournaments.models.events import (
    Entrant,
    EntrantMember,
    Event,
    EventKind,
    Snapshot,
    Stage,
    Visibility,
)
from tournaments.models.meetings import Round
from tournaments.models.outbox import Dirty, event_scope
from tournaments.policy import Actor
from tournaments.services.audit import append_audit
from tournaments.services.clubs import (
    name_problems,
    one_line,
    proposed_slug,
    slug_problems,
)
from tournaments.services.marks import mark_changed
from tournaments.services.permissions import require
from tournaments.services.rule_sets import Offered, offered_to, take_snapshot
from tournaments.states import EVENT, find_move

MOST_CHIPS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of an event that are in force (design.md 8.2), with their defaults.

    `length` is `variant`, `hands:N` or `open`; `start_totals` is how many chips each seat begins
    with where rules play for chips, `double_entry` whether sheets are typed twice; `seed` stands
    on the event itself.
    """

    length: str = "variant"
    primary: str = "raw_per_hand"
    mixed_raw: bool = False
    tie_breaks: tuple[str, ...] = ()
    min_games: int = 0
    playoff: str = "share"
    start_totals: int = 0
    double_entry: bool = False

    @property
    def is_open_ended(self) -> bool:
        """Whether a game lasts until its table is closed, so that no end condition applies."""
        return self.length != "variant"

    @property
    def hands(self) -> int | None:
        """The fixed number of hands a game lasts, where the event says so."""
        return int(self.length[6:]) if self.length.startswith("hands:") else None


PRESETS: Mapping[str, Mapping[str, object]] = {
    "sheets": {
        "length": "open",
        "primary": "raw_per_hand",
        "mixed_raw": True,
        "tie_breaks": (),
        "playoff": "share",
    },
    "games": {"length": "variant", "primary": "raw_per_hand"},
    "totals": {"length": "variant", "primary": "raw_total"},
    "wins": {"length": "variant", "primary": "wins"},
    "beaten": {"length": "variant", "primary": "beaten_mean"},
}
"""Names for several settings at once; `sheets` is what `import_sheets --create` makes."""


def settings_of(event: Event) -> Settings:
    """Return the event's settings, defaults filled in."""
    known = {field.name for field in fields(Settings)}
    stored = {key: value for key, value in event.settings.items() if key in known}
    if "tie_breaks" in stored:
        stored["tie_breaks"] = tuple(stored["tie_breaks"])
    return Settings(**stored)


def needs_hands(event: Event) -> bool:
    """Whether the event ranks by a value that is one a hand, so that games need their hands."""
    return PRIMARIES[settings_of(event).primary].needs_hands


def _setting_problems(wanted: Mapping[str, object]) -> list[Problem]:
    known = {field.name: type(field.default) for field in fields(Settings)}
    problems = [
        _bad(key, value, "one of " + ", ".join(sorted(known)))
        for key, value in wanted.items()
        if key not in known
    ]
    primary = wanted.get("primary", "raw_per_hand")
    if primary not in PRIMARIES:
        problems.append(_bad("primary", primary, "one of " + ", ".join(PRIMARIES)))
    length = str(wanted.get("length", "variant"))
    if length not in {"variant", "open"} and not (
        length.startswith("hands:") and length[6:].isdecimal() and 0 < int(length[6:]) < 1000
    ):
        problems.append(_bad("length", length, "variant, open or hands:N"))
    chips = wanted.get("start_totals", 0)
    if type(chips) is not int or not 0 <= chips <= MOST_CHIPS:
        problems.append(_bad("start_totals", chips, f"a whole number from 0 to {MOST_CHIPS}"))
    if type(twice := wanted.get("double_entry", False)) is not bool:
        problems.append(_bad("double_entry", twice, "true or false"))
    problems.extend(_chain_problems(wanted.get("tie_breaks", ())))
    return problems


def _chip_problems(
    offered: Offered,
    variant: str,
    options: Mapping[str, object] | None,
    wanted: Mapping[str, object],
) -> list[Problem]:
    """Say that nobody has chips where the rules end a game by who has some."""
    found = offered.rules_named(variant, options)
    if found is None or wanted.get("length", "variant") != "variant":
        return []
    ends = any(test.kind in ("chips_all", "chips_out") for test in found.keys.finish)
    if not ends or wanted.get("start_totals"):
        return []
    return [_bad("start_totals", 0, "a number of chips from 1, for this game ends by them")]


def _choice_problems(*, kind: str, preset: str, visibility: str) -> list[Problem]:
    chosen = {
        "kind": (kind, EventKind.values),
        "visibility": (visibility, Visibility.values),
        "preset": (preset, ["", *PRESETS]),
    }
    return [
        Problem(
            "bad_setting",
            (key,),
            {"key": key, "found": found, "expected": "one of " + ", ".join(filter(None, known))},
        )
        for key, (found, known) in chosen.items()
        if found not in known
    ]


def _chain_problems(chain: object) -> list[Problem]:
    """Say what is wrong with a chain of tie-breaks; the empty one leaves ties as they are."""
    expected = "a list of these, each once: " + ", ".join(TIE_BREAKS)
    if not isinstance(chain, list | tuple) or len(set(map(str, chain))) < len(chain):
        return [_bad("tie_breaks", chain, expected)]
    return [_bad("tie_breaks", key, expected) for key in chain if key not in TIE_BREAKS]


def _bad(key: str, found: object, expected: str) -> Problem:
    return Problem(
        "bad_setting", ("settings", key), {"key": key, "found": str(found), "expected": expected}
    )


@transaction.atomic
def create_event(
    *,
    actor: Actor,
    club: Club,
    name: str,
    variant: str,
    now: datetime,
    slug: str = "",
    kind: str = "league",
    options: Mapping[str, object] | None = None,
    preset: str = "",
    settings: Mapping[str, object] | None = None,
    visibility: str = "public",
    seed: str = "",
) -> Event:
    """Make a draft event: a name and a variant are enough, everything else has a default.

    Args:
        slug: without one the first free one that the name proposes is taken.
        preset: a key of `PRESETS`; `settings` go over it.

    Raises:
        Forbidden: manage_event.
        Refused: no_name, name_too_long, no_slug, bad_slug, bad_setting, unknown_variant,
            unknown_option, bad_option; all that are found.
        Conflict: slug_taken.
    """
    require(actor, club, "manage_event")
    name = one_line(name)
    slug = slug or proposed_slug(
        name, Event.objects.filter(club=club).values_list("slug", flat=True)
    )
    wanted = {**PRESETS.get(preset, {}), **(settings or {})}
    offered = offered_to(club)
    problems = [
        *name_problems(name),
        *(slug_problems(slug) if name or slug else ()),
        *_choice_problems(kind=kind, preset=preset, visibility=visibility),
        *_setting_problems(wanted),
        *offered.problems(variant, options),
        *_chip_problems(offered, variant, options, wanted),
    ]
    if problems:
        raise Refused(*problems)
    chosen = asdict(Settings()) | wanted
    try:
        with transaction.atomic():
            event = Event.objects.create(
                club=club,
                slug=slug,
                name=name,
                kind=kind,
                visibility=visibility,
                variant=offered.find(variant),
                options=dict(options or {}),
                settings=chosen | {"tie_breaks": list(chosen["tie_breaks"])},
                seed=seed or secrets.token_hex(8),
                created_at=now,
            )
    except IntegrityError as taken:
        raise Conflict(Problem("slug_taken", ("slug",), {"slug": slug})) from taken
    snapshot = default_snapshot(event)
    Stage.objects.create(club=club, event=event, number=1)
    Dirty.objects.create(scope=event_scope(event.pk))
    append_audit(
        club=club,
        actor=actor,
        act="create_event",
        subject=f"event:{slug}",
        facts={"variant": snapshot.variant, "rules": snapshot.content_hash},
        now=now,
    )
    return event


def default_snapshot(event: Event) -> Snapshot:
    """Return the event's snapshot of its default variant and options."""
    return take_snapshot(event=event, variant=event.variant, options=event.options)


@transaction.atomic
def move_event(*, actor: Actor, event: Event, to: str, now: datetime, reason: str = "") -> Event:
    """Take the event from its state to the state `to`, as the table of states allows.

    Raises:
        Conflict: state_not_allowed, rounds_still_open, event_has_hands, hands_disputed.
        Refused: reason_required; unknown_variant, bad_option where the rules are gone.
        Forbidden: the move's act.
    """
    event = Event.objects.select_for_update().get(pk=event.pk)
    move = find_move(EVENT, event.state, to)
    require(actor, event.club, move.act)
    if move.needs_reason and not reason.strip():
        raise Refused(Problem("reason_required", ("reason",)))
    _require_rounds_allow(event, to)
    if (event.state, to) == ("draft", "open"):
        default_snapshot(event)
    Event.objects.filter(pk=event.pk).update(state=to)
    facts = {"from": event.state, "to": to, "reason": reason.strip()}
    event.state = to
    mark_changed(event=event, now=now)
    append_audit(
        club=event.club,
        actor=actor,
        act="move_event",
        subject=f"event:{event.slug}",
        facts=facts,
        now=now,
    )
    return event


def _require_rounds_allow(event: Event, to: str) -> None:
    rounds = Round.objects.filter(event=event)
    if to == "closed" and rounds.filter(state__in=("posted", "playing")).exists():
        number = rounds.filter(state__in=("posted", "playing")).order_by("number")[0].number
        raise Conflict(Problem("rounds_still_open", ("state",), {"round": number}))
    if to == "draft" and rounds.filter(tables__game__hands__isnull=False).exists():
        raise Conflict(Problem("event_has_hands", ("state",)))
    disputed = rounds.filter(tables__game__hands__state="disputed").order_by("number").first()
    if to == "final" and disputed is not None:
        raise Conflict(Problem("hands_disputed", ("state",), {"round": disputed.number}))


def entrant_for(*, event: Event, player: Player) -> Entrant:
    """Return the entrant `player` belongs to in `event`, entering the player alone at first."""
    member = EntrantMember.objects.filter(event=event, player=player).select_related("entrant")
    if found := member.first():
        return found.entrant
    entrant = Entrant.objects.create(club_id=event.club_id, event=event, code=player.player_id)
    EntrantMember.objects.create(club_id=event.club_id, event=event, entrant=entrant, player=player)
    return entrant
