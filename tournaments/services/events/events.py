"""Making events, their settings, and their states."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Final

from django.db import IntegrityError, transaction

from scoring.errors import Problem, Refused
from tournaments.domain.event_settings import (
    PRESETS,
    as_stored,
    read_settings,
    setting_problems,
    stored_settings,
)
from tournaments.domain.name_matching import name_problems, one_line
from tournaments.errors import Conflict
from tournaments.models.clubs import Club, Player
from tournaments.models.events import (
    Entrant,
    EntrantMember,
    Event,
    EventKind,
    Stage,
    StageKind,
    Visibility,
)
from tournaments.models.hands import Game
from tournaments.models.meetings import Round
from tournaments.models.outbox import Dirty, event_scope, ladder_scope
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.clubs.find_players import require_not_merged
from tournaments.selectors.events.events import has_hands
from tournaments.selectors.events.settings_checks import (
    default_snapshot,
    fitting_settings,
    game_problems,
    rules_facts,
    setting_refusals,
)
from tournaments.selectors.rules.rule_sets import VariantChoices, offered_to
from tournaments.selectors.standings.correction_window import pending_imports
from tournaments.services.audit.audit import lock_audit_head, note_change
from tournaments.services.clubs.clubs import proposed_slug, slug_problems
from tournaments.services.clubs.names import (
    codes_for,
    require_not_former_event,
    slug_taken,
    taken_event_slugs,
)
from tournaments.services.db.locks import lock_event, lock_games
from tournaments.services.db.transactions import unless_taken
from tournaments.services.events.deadlines import schedule_ladder
from tournaments.services.events.states import (
    finalise_event,
    require_final,
    schedule_finalization,
)
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.jobs.queue import mark_due
from tournaments.services.operations import Operation, operation
from tournaments.states import EVENT, find_move

BAD_NAME: Final = ("no_name", "name_too_long", "no_slug", "bad_slug", "slug_taken")
BAD_RULES: Final = ("unknown_variant", "unknown_option", "bad_option", "bad_rules", "seat_count")
BAD_SETTINGS: Final = (
    *("bad_setting", "bye_award_not_possible", "scores_have_no_order", "hands_not_known"),
    *("hands_differ", "raw_over_games", "raw_over_sizes", "no_placement_list"),
    *("bad_placement_list", "moons_not_known", "no_sides", "no_boards", "boards_not_dropped"),
    *("matches_not_dropped", "no_seed"),
)
"""What is wrong with the settings of an event, by themselves or with its tables."""
NOT_COMPARABLE: Final = ("games_not_mixed", "sizes_not_mixed", "size_without_list")
IMPORT_PENDING: Final = ("import_running", "import_undoing")
NOT_FINAL: Final = (
    *("window_not_over", "event_recounted", "hands_disputed", "disputes_open", "cuts_asked"),
    *("playoffs_undecided", "playoffs_looked_for"),
)
CHANGES: Final = {
    ("open", "closed"): "close_event",
    ("closed", "open"): "reopen_event",
    ("final", "open"): "reopen_event",
}
"""Moves of an event that stand in its change log; becoming final is one more."""


def _choice_problems(*, kind: str, preset: str, visibility: str) -> list[Problem]:
    choices = {
        "kind": (kind, EventKind.values),
        "visibility": (visibility, Visibility.values),
        "preset": (preset, ["", *PRESETS]),
    }
    return [
        Problem(
            "bad_setting",
            (key,),
            {"key": key, "found": value, "expected": "one of " + ", ".join(filter(None, values))},
        )
        for key, (value, values) in choices.items()
        if value not in values
    ]


@operation("create_event", refuses=(*BAD_NAME, *BAD_RULES, *BAD_SETTINGS))
def create_event(
    op: Operation,
    club: Club,
    /,
    *,
    name: str,
    variant: str,
    slug: str = "",
    kind: str = "league",
    options: Mapping[str, object] | None = None,
    preset: str = "",
    settings: Mapping[str, object] | None = None,
    visibility: str = "public",
    seed: str = "",
) -> Event:
    """Make a draft event: a name and a variant are enough; `settings` go over the preset."""
    name = one_line(name)
    slug = slug or proposed_slug(name, taken_event_slugs(club))
    offered = offered_to(club)
    seed = seed or secrets.token_hex(8)
    stored = new_event_settings(
        offered,
        name=name,
        slug=slug,
        variant=variant,
        kind=kind,
        options=options,
        preset=preset,
        settings=settings,
        visibility=visibility,
        seed=seed,
    )
    lock_audit_head(club)  # a move of an event to this address holds it too
    with unless_taken(slug_taken(slug)):
        event = Event.objects.create(
            club=club,
            slug=slug,
            name=name,
            kind=kind,
            visibility=visibility,
            variant=offered.find(variant),
            options=dict(options or {}),
            settings=stored,
            seed=seed,
            created_at=op.now,
        )
    require_not_former_event(event)
    snapshot = default_snapshot(event)
    Stage.objects.create(club=club, event=event, number=1)
    Dirty.objects.create(scope=event_scope(event.pk))
    if kind == EventKind.LADDER:  # its list is read before the first result
        mark_due(ladder_scope(event.pk), now=op.now)
    op.audit(event, {"variant": snapshot.variant, "rules": snapshot.content_hash})
    return event


def address_for(club: Club, name: str, kind: str) -> str:
    """Return the slug of a new event: from its name, or its kind where the name gives none."""
    slugs = taken_event_slugs(club)
    return proposed_slug(one_line(name), slugs) or proposed_slug(kind, slugs)


def new_event_settings(
    offered: VariantChoices,
    *,
    name: str,
    slug: str,
    variant: str,
    kind: str = "league",
    options: Mapping[str, object] | None = None,
    preset: str = "",
    settings: Mapping[str, object] | None = None,
    visibility: str = "public",
    seed: str = "",
) -> dict[str, object]:
    """Return the settings of a new event as a row holds them, or refuse with all that is wrong.

    Of a preset's or the usual chain what does not go with the game is left out.
    """
    settings = settings or {}
    values = {**PRESETS.get(preset, {}), **settings}
    problems = [
        *name_problems(name),
        *(slug_problems(slug) if name or slug else ()),
        *_choice_problems(kind=kind, preset=preset, visibility=visibility),
        *setting_problems(values),
        *offered.problems(variant, options),
        *game_problems(offered, variant, options, values),
    ]
    if problems:
        raise Refused(*problems)
    facts = rules_facts([offered.rules(variant, options)])
    event_settings = read_settings(stored_settings(values))
    if "tie_breaks" not in settings:
        event_settings = fitting_settings(event_settings, facts, seed=seed)
    stored = as_stored(event_settings)
    if problems := setting_refusals(event_settings, facts, seed=seed, changed=stored):
        raise Refused(*problems)
    return stored


@operation(
    "manage_event",
    locks=lock_event,
    refuses=(
        *BAD_RULES,
        *NOT_FINAL,
        *IMPORT_PENDING,
        "state_not_allowed",
        "reason_required",
        "rounds_still_open",
        "event_has_hands",
    ),
)
def move_event(op: Operation, event: Event, /, *, to: str, reason: str = "") -> Event:
    """Open an event, make it a draft again, close it, make it final, or open it again.

    `draft` → `open` → `closed` → `final`; `open` → `draft` while no hand is entered. With a
    `reason` a closed event is opened again by a director, a final one by an owner. An obstacle
    is answered with 409: `state_not_allowed` with the states that are possible,
    `rounds_still_open`, `window_not_over`, `disputes_open`, `playoffs_undecided` and others.
    """
    move = find_move(EVENT, event.state, to)
    op.require(move.act, event)
    if move.needs_reason and not reason.strip():
        raise Refused(Problem("reason_required", ("reason",)))
    _require_rounds_allow(event, to)
    if (event.state, to) == ("draft", "open"):
        default_snapshot(event)
    by = get_role(op.actor, event.club_id)
    if to == "final":
        require_final(event, op.now)
        finalise_event(event, actor=op.actor, by=by, now=op.now)
        return event
    facts = {"from": event.state, "to": to}
    event.state, event.closed_at = to, op.now if to == "closed" else None
    Event.objects.filter(pk=event.pk).update(state=to, closed_at=event.closed_at)
    schedule_finalization(event)
    schedule_ladder(event, facts["from"], now=op.now)
    if kind := CHANGES.get((facts["from"], to)):
        note_change(event=event, kind=kind, by=by, reason=reason, now=op.now, facts=facts)
    else:
        mark_changed(event=event, now=op.now)
    op.audit(event, {**facts, "reason": reason.strip()})
    return event


def _require_rounds_allow(event: Event, to: str) -> None:
    if to == "closed":
        for problem in pending_imports(event):
            raise Conflict(problem)
    rounds = Round.objects.filter(event=event).exclude(stage__kind=StageKind.PLAYOFF)
    unfinished = rounds.filter(state__in=("posted", "playing")).order_by("number")
    if to == "closed" and (round_ := unfinished.first()):
        raise Conflict(Problem("rounds_still_open", ("state",), {"round": round_.number}))
    if to == "draft":
        lock_games(Game.objects.filter(event=event))  # a first hand is in, or finds a draft
    if to == "draft" and has_hands(event):
        raise Conflict(Problem("event_has_hands", ("state",)))


def entrant_for(*, event: Event, player: Player) -> Entrant:
    """Return the entrant `player` belongs to in `event`, entering the player alone at first."""
    member = EntrantMember.objects.filter(event=event, player=player).select_related("entrant")
    if row := member.first():
        return row.entrant
    try:
        with transaction.atomic():
            return _enter_alone(event, [player])[0]
    except IntegrityError:  # at this very moment another table seats them, or takes the code
        row = member.first()
        return row.entrant if row else _enter_alone(event, [player])[0]


def enter_players(*, event: Event, players: Sequence[Player]) -> None:
    """Enter each of `players` alone who belongs to no entrant of `event` yet."""
    members = EntrantMember.objects.filter(event=event, player__in=players)
    entered = set(members.values_list("player_id", flat=True))
    newcomers = [player for player in players if player.pk not in entered]
    if not newcomers:
        return
    try:
        with transaction.atomic():
            _enter_alone(event, newcomers)
    except IntegrityError:
        for player in newcomers:
            entrant_for(event=event, player=player)


def _enter_alone(event: Event, players: Sequence[Player]) -> list[Entrant]:
    codes = codes_for(event, [player.player_id for player in players])
    entrants = Entrant.objects.bulk_create(
        Entrant(club_id=event.club_id, event=event, code=codes[player.player_id])
        for player in players
    )
    EntrantMember.objects.bulk_create(
        EntrantMember(club_id=event.club_id, event=event, entrant=entrant, player=player)
        for entrant, player in zip(entrants, players, strict=True)
    )
    require_not_merged([player.pk for player in players])
    return entrants
