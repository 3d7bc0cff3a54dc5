"""Creating events, and moving them from state to state; their entrants."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time
from typing import Final, Required, TypedDict, Unpack

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from scoring.errors import Problem, Refused
from tournaments.domain.evening_series import MOST_EVENINGS
from tournaments.domain.event_settings import (
    PRESETS,
    as_stored,
    read_settings,
    setting_problems,
    stored_settings,
)
from tournaments.domain.name_matching import name_problems, one_line
from tournaments.domain.reasons import require_some_reason
from tournaments.domain.stage_plan import game_of_preset, read_stage_plan, stages_of_preset
from tournaments.errors import Conflict, refuse_any
from tournaments.models.clubs import Club, Player
from tournaments.models.events import (
    Entrant,
    EntrantMember,
    EntrantState,
    Event,
    EventKind,
    Season,
    Stage,
    StagePlan,
    Visibility,
)
from tournaments.models.hands import Game
from tournaments.models.jobs import Dirty, event_scope, ladder_scope
from tournaments.models.rounds import Meeting
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.clubs.find_players import require_not_merged
from tournaments.selectors.events.entrants import find_guests, ranks_guests_apart
from tournaments.selectors.events.events import has_hands, ordinary_rounds
from tournaments.selectors.events.meetings import list_planned_evenings
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
    require_not_former,
    slug_taken,
    taken_event_slugs,
)
from tournaments.services.db.locks import lock_event, lock_games
from tournaments.services.db.transactions import unless_taken
from tournaments.services.events.finalise import finalise_event, require_final
from tournaments.services.events.seasons import UNFIT, lock_season_for, put_new_event
from tournaments.services.events.states import schedule_finalization
from tournaments.services.jobs.queue import mark_due
from tournaments.services.jobs.schedule import schedule_ladder, schedule_reminders
from tournaments.services.operations import Operation, operation
from tournaments.states import EVENT, find_move

BAD_NAME: Final = ("no_name", "name_too_long", "no_slug", "bad_slug", "slug_taken")
BAD_RULES: Final = ("unknown_variant", "unknown_option", "bad_option")
BAD_SETTINGS: Final = (
    *("bad_setting", "bye_award_not_possible", "scores_have_no_order", "no_sides", "no_boards"),
    *("boards_not_dropped", "matches_not_dropped", "bad_playoff_rule", "unknown_playoff_rule"),
    *("bad_ladder_rule", "unknown_ladder_rule", "no_evening_points", "only_with_evening_points"),
    *("evenings_not_dropped_by_game", "periods_without_evenings", "more_than_a_period"),
)
"""Error codes of the settings of an event, by themselves or with its rules."""
NOT_FINAL: Final = (
    *("import_running", "import_undoing", "window_not_over", "event_recounted", "hands_disputed"),
    *("disputes_open", "cuts_asked", "playoffs_undecided", "playoffs_looked_for"),
)
"""Error codes of an event that cannot be closed or made final."""
CHANGES: Final = {
    ("open", "closed"): "close_event",
    ("closed", "open"): "reopen_event",
    ("final", "open"): "reopen_event",
}
"""Moves of an event that stand in its change log; becoming final is one more."""


class NewEvent(TypedDict, total=False):
    """An event to create; without a `slug` it gets the first free one that its name proposes."""

    name: Required[str]
    variant: Required[str]
    slug: str
    kind: str
    options: Mapping[str, object]
    preset: str
    settings: Mapping[str, object]
    """They go over those of the preset."""
    visibility: str
    seed: str
    evenings: Sequence[date]
    evening_time: time | None
    """When each of the evenings begins."""
    entrants_of: Event | None
    """An event whose entrants compete in the new one too."""
    season: Season | None


USUAL_EVENT: Final[NewEvent] = {
    "name": "", "variant": "", "slug": "", "kind": "league", "options": {}, "preset": "",
    "settings": {}, "visibility": "public", "seed": "", "evenings": (), "evening_time": None,
    "entrants_of": None, "season": None,
}  # fmt: skip
EVENT_CHOICES: Final = {
    "kind": EventKind.values,
    "visibility": Visibility.values,
    "preset": ["", *PRESETS],
}
ATTEMPTS: Final = 3
"""Maximum number of proposals of an address that others have just taken."""


@operation(
    "create_event",
    refuses=(
        *(*BAD_NAME, *BAD_RULES, *BAD_SETTINGS, "too_many_evenings", "player_is_merged"),
        *UNFIT,
    ),
)
def create_event(op: Operation, club: Club, /, **new_event: Unpack[NewEvent]) -> Event:
    """Create an event as a draft: a name and a variant are enough.

    The preset gives settings and stages; `settings` replace single ones. All problems are in one
    answer (422). A slug that another event of the club has or had is refused (409 `slug_taken`).
    """
    new_event = {**USUAL_EVENT, **new_event}
    season, earlier = new_event["season"], new_event["entrants_of"]
    days = sorted({*new_event["evenings"]})
    if len(days) > MOST_EVENINGS:
        facts = {"found": len(days), "expected": MOST_EVENINGS}
        raise Refused(Problem("too_many_evenings", ("meetings",), facts))
    if season is not None:
        op.require("manage_event", club)
        season = lock_season_for(season, now=op.now)
    if earlier is not None:  # its entrants are locked before the event they are copied to
        lock_event(earlier)
        require_not_merged(list(_members(earlier).values_list("player_id", flat=True)))
    is_ladder = new_event["kind"] == EventKind.LADDER  # it has no preset
    rules = offered_to(club).rules_named(new_event["variant"], new_event["options"])
    if not is_ladder and (game := game_of_preset(new_event["preset"], rules)):
        # The game of a preset comes in the place of one that it cannot be played with.
        new_event |= {"variant": game, "options": {}}
    event = _insert_at_free_address(op, club, new_event)
    if season is not None:
        put_new_event(op, event, season)
    n_entrants = _copy_entrants(event, earlier) if earlier is not None else 0
    if is_ladder:
        return event
    starts_at = new_event["evening_time"]
    planned = Meeting.objects.bulk_create(
        Meeting(club=club, event=event, date=day, time=starts_at) for day in days
    )
    schedule_reminders(event, planned, now=op.now)
    stages = stages_of_preset(new_event["preset"], n_entrants)
    for number, fields in enumerate(stages, 1):
        columns = {"name": fields.get("name", ""), **read_stage_plan(fields)}
        plan = StagePlan.PLANNED if number > 1 else StagePlan.UNPLANNED
        Stage.objects.update_or_create(
            club_id=event.club_id, event=event, number=number, defaults={"plan": plan, **columns}
        )
    return event


def _insert_at_free_address(op: Operation, club: Club, new_event: NewEvent) -> Event:
    slug = new_event["slug"]
    for attempt in range(1, ATTEMPTS + 1):
        free = slug or address_for(club, new_event["name"], new_event["kind"])
        try:
            with transaction.atomic():
                return _insert(op, club, {**new_event, "slug": free})
        except Conflict as conflict:
            if slug or conflict.problem.code != "slug_taken" or attempt == ATTEMPTS:
                raise
    raise AssertionError("the last attempt returns or raises")


def _insert(op: Operation, club: Club, new_event: NewEvent) -> Event:
    offered = offered_to(club)
    slug = new_event["slug"]
    new_event["seed"] = new_event["seed"] or secrets.token_hex(8)
    settings = new_event_settings(offered, new_event)
    lock_audit_head(club)  # a move of an event to this address holds it too
    with unless_taken(slug_taken(slug)):
        event = Event.objects.create(
            club=club,
            slug=slug,
            name=one_line(new_event["name"]),
            kind=new_event["kind"],
            visibility=new_event["visibility"],
            variant=offered.find(new_event["variant"]),
            options=dict(new_event["options"]),
            settings=settings,
            seed=new_event["seed"],
            created_at=op.now,
        )
    require_not_former(event)
    snapshot = default_snapshot(event)
    Stage.objects.create(club=club, event=event, number=1)
    Dirty.objects.create(scope=event_scope(event.pk))
    if event.is_ladder:  # its list is read before the first result
        mark_due(ladder_scope(event.pk), now=op.now)
    op.audit(event, {"variant": snapshot.variant, "rules": snapshot.content_hash})
    return event


def address_for(club: Club, name: str, kind: str) -> str:
    slugs = taken_event_slugs(club)
    return proposed_slug(one_line(name), slugs) or proposed_slug(kind, slugs)


def new_event_settings(offered: VariantChoices, new_event: NewEvent) -> dict[str, object]:
    """Return the settings of a new event as a row holds them, or refuse with all that is wrong.

    Of a preset's or the usual chain what does not go with the game is left out.
    """
    new_event = {**USUAL_EVENT, **new_event}
    name = one_line(new_event["name"])
    slug = new_event["slug"]
    seed = new_event["seed"]
    variant, options = new_event["variant"], new_event["options"]
    values = {**PRESETS.get(new_event["preset"], {}), **new_event["settings"]}
    problems = [
        *name_problems(name),
        *(slug_problems(slug) if name or slug else ()),
        *_choice_problems(
            kind=new_event["kind"], visibility=new_event["visibility"], preset=new_event["preset"]
        ),
        *setting_problems(values),
        *offered.rule_problems(variant, options),
        *game_problems(offered, variant, options, values),
    ]
    refuse_any(problems)
    facts = rules_facts([offered.rules(variant, options)])
    event_settings = read_settings(stored_settings(values))
    if "tie_breaks" not in new_event["settings"]:
        event_settings = fitting_settings(event_settings, facts, seed=seed)
    stored = as_stored(event_settings)
    refuse_any(setting_refusals(event_settings, facts, seed=seed, changed=stored))
    return stored


def _choice_problems(**chosen: str) -> Iterator[Problem]:
    for key, value in chosen.items():
        if value not in EVENT_CHOICES[key]:
            expected = "one of " + ", ".join(filter(None, EVENT_CHOICES[key]))
            yield Problem("bad_setting", (key,), {"key": key, "found": value, "expected": expected})


def _copy_entrants(event: Event, before: Event) -> int:
    """Let the entrants of `before` that did not withdraw, and are locked, compete in `event`.

    Guests stay where they were.
    """
    members = Entrant.objects.filter(event=before, state=EntrantState.ACTIVE, guest=False)
    entrants = members.order_by("code")
    copies = Entrant.objects.bulk_create(
        Entrant(club_id=event.club_id, event=event, code=code, name=name, kind=kind)
        for code, name, kind in entrants.values_list("code", "name", "kind")
    )
    by_code = {entrant.code: entrant for entrant in copies}
    EntrantMember.objects.bulk_create(
        EntrantMember(club_id=event.club_id, event=event, entrant=by_code[code], player_id=player)
        for code, player in _members(before).values_list("entrant__code", "player_id")
    )
    return len(copies)


def _members(event: Event) -> QuerySet[EntrantMember]:
    members = EntrantMember.objects.filter(
        event=event, entrant__state=EntrantState.ACTIVE, entrant__guest=False
    )
    return members.order_by("pk")


@operation(
    "manage_event",
    locks=lock_event,
    refuses=(
        *(*BAD_RULES, *NOT_FINAL, "state_not_allowed", "reason_required", "rounds_still_open"),
        *("event_has_hands", "evenings_still_planned"),
    ),
)
def move_event(
    op: Operation, event: Event, /, *, to: str, reason: str = "", anyway: bool = False
) -> Event:
    """Open an event, make it a draft again, close it, make it final, or open it again.

    `draft` → `open` → `closed` → `final`; `open` → `draft` while no hand is entered. With a
    `reason` a closed event is opened again by a director, a final one by an owner. An obstacle
    is answered with 409: `state_not_allowed` with the states that are possible,
    `rounds_still_open`, `window_not_over`, `disputes_open`, `playoffs_undecided` and others.
    A league that has evenings ahead is closed with `anyway` only: else the answer is 409
    `evenings_still_planned`, which names them.
    Players who share place 1 stay there where no cut-off is a title: `title` of the setting
    `boundaries` plays it off, before the event is closed.
    """
    move = find_move(EVENT, event.state, to)
    op.require(move.right, event)
    if move.needs_reason:
        require_some_reason(reason)
    _require_rounds_allow(event, to)
    if to == "closed" and not anyway:
        require_no_planned_evening(event, op.now)
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
        op.changed(
            event,
            then=lambda version: note_change(
                event=event,
                version=version,
                kind=kind,
                by=by,
                reason=reason,
                now=op.now,
                facts=facts,
            ),
        )
    else:
        op.changed(event)
    op.audit(event, {**facts, "reason": reason.strip()})
    return event


def require_no_planned_evening(event: Event, now: datetime) -> None:
    """Keep a league open that has evenings from today on without a hand."""
    meetings = list_planned_evenings(event, now)
    if meetings:
        dates = ", ".join(meeting.date.isoformat() for meeting in meetings)
        raise Conflict(Problem("evenings_still_planned", ("state",), {"dates": dates}))


def _require_rounds_allow(event: Event, to: str) -> None:
    if to == "closed":
        for problem in pending_imports(event):
            raise Conflict(problem)
    unfinished = ordinary_rounds(event).filter(state__in=("posted", "playing")).order_by("number")
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
        if row:
            return row.entrant
        return _enter_alone(event, [player])[0]


def enter_players(*, event: Event, players: Sequence[Player], are_guests: bool = False) -> None:
    members = EntrantMember.objects.filter(event=event, player__in=players)
    entered = set(members.values_list("player_id", flat=True))
    newcomers = [player for player in players if player.pk not in entered]
    if not newcomers:
        return
    try:
        with transaction.atomic():
            _enter_alone(event, newcomers, are_guests=are_guests)
    except IntegrityError:
        for player in newcomers:
            entrant_for(event=event, player=player)


def enter_guest(*, event: Event, player: Player) -> None:
    """Enter somebody who was just added as a guest while tables of the event were entered.

    Where guests compete in the season, and in an event that is over, that waits for their seat.
    """
    if ranks_guests_apart(event) and not event.is_over:
        enter_players(event=event, players=[player], are_guests=True)


def _enter_alone(
    event: Event, players: Sequence[Player], *, are_guests: bool = False
) -> list[Entrant]:
    codes = codes_for(event, [player.player_id for player in players])
    guests = find_guests(event, [player.pk for player in players])
    entrants = Entrant.objects.bulk_create(
        Entrant(
            club_id=event.club_id,
            event=event,
            code=codes[player.player_id],
            guest=are_guests or player.pk in guests,
        )
        for player in players
    )
    EntrantMember.objects.bulk_create(
        EntrantMember(club_id=event.club_id, event=event, entrant=entrant, player=player)
        for entrant, player in zip(entrants, players, strict=True)
    )
    require_not_merged([player.pk for player in players])
    return entrants
