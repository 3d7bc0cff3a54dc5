"""Previews of changed players, settings and merged players: made, then rolled back."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, Protocol, TypeAlias, TypeVar

from django.db.models import Count, Model, Q

from scoring.errors import Problem
from tournaments.domain.event_settings import EVENT_SETTINGS, Settings, as_stored, settings_of
from tournaments.domain.messages import sentence
from tournaments.domain.standings.criteria import primary_named
from tournaments.errors import Conflict
from tournaments.models.access import Invitation
from tournaments.models.clubs import Player, PlayerMerge
from tournaments.models.events import Event
from tournaments.models.hands import Dispute, Hand
from tournaments.models.ladders import Challenge, LadderAbsence
from tournaments.models.rounds import Attendance, Sitting
from tournaments.models.seating_plans import PlanState, SeatingConstraint, SeatingPlan
from tournaments.models.standings import Contribution, LedgerLine, OpeningValue
from tournaments.selectors.attendance.not_entered import list_not_entered_under
from tournaments.selectors.events.settings_checks import (
    evening_warnings,
    facts_of,
    setting_refusals,
)
from tournaments.selectors.hands.score_sheet import table_sheet
from tournaments.selectors.hands.score_sheet_views import Finish, TableSheet
from tournaments.selectors.jobs.queue import event_version
from tournaments.selectors.rounds.tables import SeatingDocument, SittingDocument, table_seating
from tournaments.selectors.seating_plans.plans import people_of_plan
from tournaments.selectors.standings.standings_view import StandingsRow
from tournaments.selectors.standings.table_values import get_table_values
from tournaments.services.db.transactions import dry_run
from tournaments.services.operations import Operation
from tournaments.services.people.merge_players import merge_players
from tournaments.services.previewing.diff import Preview, TableChange
from tournaments.services.previewing.documents import (
    BoundaryDocument,
    PlayerEnd,
    PlayersChangeDocument,
    PreviewedShare,
    PreviewedSitting,
    TableDifferenceDocument,
)
from tournaments.services.previewing.run_preview import (
    MOST_ROWS,
    as_laid_out,
    crossings_between,
    do_as_previewed,
    end_json,
    ends_of,
    hidden_names,
    rows_by_code,
    standings_now,
    try_change,
)
from tournaments.services.previewing.snapshot import publication_numbers
from tournaments.services.publishing.rank_and_render import standings_as_stored
from tournaments.services.publishing.season_table import MOST_RESULTS, standings_under


class ChangedTables(Protocol):
    """What a change of tables did: the codes of these, in the order of the preview."""

    @property
    def codes(self) -> tuple[str, ...]: ...


C = TypeVar("C", bound=ChangedTables)
TableValues: TypeAlias = Mapping[str, int | str | None]
"""What a table is worth by player id."""
TableState: TypeAlias = tuple[TableSheet, SeatingDocument, TableValues]
TOP: Final = 5
"""Rows at the top of the table that the page lists, with those that cross a cut-off."""
MOST_NAMES: Final = 4
"""Names of each side of a cut-off that the page lists."""


def preview_settings(event: Event, settings: Settings, *, is_own: bool = True) -> dict[str, object]:
    """Return what `settings` would make of the standings of `event`, as a page shows it.

    Args:
        is_own: whether the settings are for this event and were checked against its data; for
            another one the preview names everything that its data cannot give.
    """
    n_results = Contribution.objects.filter(event=event).count()  # one an entrant and game
    preview = {
        "event": event,
        "n_results": n_results,
        "is_too_long": n_results > MOST_RESULTS,
        "problems": (),
        "rows": (),
        "warnings": tuple(map(sentence, evening_warnings(event, settings))),
        "not_entered": list_not_entered_under(event, settings) if is_own else (),
    }
    if not is_own:
        facts = facts_of(event, settings)
        problems = setting_refusals(settings, facts, seed=event.seed, changed=as_stored(settings))
        if problems:
            return preview | {"problems": tuple(map(sentence, problems))}
    if not 0 < n_results <= MOST_RESULTS:
        return preview
    before, newest = standings_now(event, event_version(event))
    after = as_laid_out(standings_under(event, settings))
    names = hidden_names(event)
    crossings = crossings_between(event, before, after, names, boundaries_then=settings.boundaries)
    crossed = [crossing for crossing in crossings if crossing["in"] or crossing["out"]]
    old, new = rows_by_code(before), rows_by_code(after)
    rows = _place_moves(old, new, names, crossed)
    dropped = [_n_dropped(new.get(code)) - _n_dropped(row) for code, row in old.items()]
    published, published_then = publication_numbers(newest, is_same=before.digest == after.digest)
    head = [row for at, row in enumerate(rows[:MOST_ROWS]) if at < TOP - 1 or row["crosses"]]
    return preview | {
        "rows": rows[:MOST_ROWS],
        "top": head[: 2 * TOP],
        "n_rows": len(rows),
        "n_more": len(rows[MOST_ROWS:]),
        "n_moved": sum(1 for row in rows if row["moves"]),
        "n_tied": sum(1 for row in after.rows if row.facts.get("tied")),
        "head": str(after.columns[0].head),
        "cut_offs": [_cut_off(crossing, rows) for crossing in crossed],
        "n_dropped": sum(n for n in dropped if n > 0),
        "n_restored": -sum(n for n in dropped if n < 0),
        "publication": published,
        "publication_then": published_then,
    }


def _n_dropped(row: StandingsRow | None) -> int:
    return int(row.facts.get("dropped") or 0) if row else 0


def _place_moves(
    old: Mapping[str, StandingsRow],
    new: Mapping[str, StandingsRow],
    names: Mapping[str, str],
    crossed: Sequence[BoundaryDocument],
) -> list[dict[str, object]]:
    comes_in = {name for crossing in crossed for name in crossing["in"]}
    goes_out = {name for crossing in crossed for name in crossing["out"]}
    moves: list[dict[str, object]] = []
    for code, row in new.items():
        name = names.get(code, row.name)
        place = (old[code].place if code in old else "") or "–"
        place_then = row.place or "–"
        crosses = ""
        if name in comes_in:
            crosses = "in"
        elif name in goes_out:
            crosses = "out"
        moves.append(
            {
                "name": name,
                "place": place,
                "place_then": place_then,
                "moves": place != place_then,
                "value": row.cells[0].number,
                "why": row.why,
                "crosses": crosses,
            }
        )
    return moves


def _cut_off(crossing: BoundaryDocument, rows: Sequence[Mapping[str, object]]) -> dict[str, object]:
    places = {row["name"]: row["place_then"] for row in rows}
    sides = (crossing["in"], crossing["out"])
    comes_in, goes_out = ([(name, places.get(name, "–")) for name in names] for names in sides)
    return {
        "boundary": crossing["boundary"],
        "comes_in": comes_in,
        "goes_out": goes_out,
        "n_more": sum(len(names[MOST_NAMES:]) for names in sides),
    }


def preview_merge(op: Operation, source: Player, target: Player) -> dict[str, object]:
    """Return all that merging `source` into `target` would move; nothing is stored."""
    constraints = SeatingConstraint.objects.filter(Q(player=source) | Q(other=source))
    open_plans = SeatingPlan.objects.filter(
        club=source.club_id, meeting__date__gte=op.now.date() - timedelta(days=1)
    ).exclude(state=PlanState.SUPERSEDED)
    evenings = {
        "attendance": Attendance.objects.filter(player=source).count(),
        "constraints": constraints.count(),
        "plans": sum(source.pk in people_of_plan(plan) for plan in open_plans.iterator()),
    }
    with dry_run():
        merge = merge_players(op, source, target=target)
        merges: Mapping[str, Mapping[str, str]] = merge.moved["events"]
        after = {pk: _get_places(int(pk)) for pk in merges}
        counts = _count_moved_rows(merge)
        has_account = merge.source.user_id is None and source.user_id is not None
    before = {pk: _get_places(int(pk)) for pk in merges}
    events = Event.objects.in_bulk([int(pk) for pk in merges])
    # The order of the keys is part of the digest.
    return {
        "source": source.player_id,
        "target": target.player_id,
        **counts,
        **evenings,
        "account": has_account,
        "events": [
            _event(events[int(pk)], codes or {}, before[pk], after[pk])
            for pk, codes in sorted(merges.items(), key=lambda item: events[int(item[0])].slug)
        ],
    }


def merge_digest(preview: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(preview).encode()).hexdigest()[:32]


class MergeOutdated(Conflict):
    """The previewed merge is not what would happen now; `preview` is."""

    def __init__(self, preview: Mapping[str, object]) -> None:
        super().__init__(Problem("preview_outdated"), there=preview)
        self.preview = preview


def merge_as_previewed(op: Operation, source: Player, target: Player, digest: str) -> PlayerMerge:
    """Merge two players, if that does what was previewed under `digest`."""
    preview = preview_merge(op, source, target)
    if merge_digest(preview) != digest:
        raise MergeOutdated(preview)
    return merge_players(op, source, target=target)


def _get_places(event_id: int) -> dict[str, dict[str, object]]:
    return {
        entrant.sums.code: {
            "code": entrant.sums.code,
            "rank": entrant.rank,
            "games": entrant.sums.games,
        }
        for entrant in standings_as_stored(event_id).placed
    }


def _event(
    event: Event,
    merge: Mapping[str, str],
    before: Mapping[str, Mapping[str, object]],
    after: Mapping[str, Mapping[str, object]],
) -> dict[str, object]:
    pair = tuple(dict.fromkeys((merge.get("code", ""), merge.get("into", ""))))
    others = (set(before) | set(after)) - set(pair)
    return {
        "slug": event.slug,
        "name": event.name,
        "state": event.state,
        "is_joined": bool(merge.get("joined")),
        "before": [before[code] for code in pair if code in before],
        "after": [after[code] for code in pair if code in after],
        "n_moved": sum(before.get(code) != after.get(code) for code in others),
    }


def _count_moved_rows(merge: PlayerMerge) -> dict[str, int]:
    moved = {(step["model"], step["pk"]) for step in merge.moved["steps"]}
    seats = {pk for model, pk in moved if model == Sitting._meta.label_lower}
    hands = Hand.objects.filter(game__table__seats__sittings__in=seats).distinct()
    tables = Sitting.objects.filter(pk__in=seats).aggregate(n=Count("seat__table", distinct=True))

    def n_of(model: type[Model]) -> int:
        return sum(label == model._meta.label_lower for label, _ in moved)

    return {
        "tables": tables["n"],
        "hands": hands.count(),
        "challenges": n_of(Challenge),
        "absences": n_of(LadderAbsence),
        "adjustments": n_of(LedgerLine),
        "opening_values": n_of(OpeningValue),
        "disputes": Dispute.objects.filter(hand__in=hands).count(),
        "invitations": n_of(Invitation),
    }


def preview_players(
    event: Event, code: str, change: Callable[[], ChangedTables], *, now: datetime
) -> Preview:
    """Return what `change` would do to the table `code` and beyond; nothing is stored."""

    def read_tables(changed: ChangedTables) -> list[TableState]:
        states = []
        for table in changed.codes:
            seating = table_seating(event, table)
            states.append((table_sheet(event, table), seating, get_table_values(event, table)))
        return states

    _, tables, tables_then, effects = try_change(event, code, change, read_tables, now=now)
    settings = settings_of(event)
    differences = [
        _table_difference(state, state_then, settings)
        for state, state_then in zip(tables, tables_then, strict=True)
    ]
    document: PlayersChangeDocument = {
        "event": {"state": effects.state, "corrected": effects.n_corrected},
        "tables": [difference for _page, difference in differences],
    }
    return replace(effects, document=document, tables=[page for page, _ in differences])


def change_as_previewed(
    event: Event, code: str, change: Callable[[], C], *, digest: str, now: datetime
) -> C:
    """Do `change`, if it does what was previewed under `digest`; else nothing is saved."""

    def attempt() -> tuple[Preview, None]:
        return preview_players(event, code, change, now=now), None

    return do_as_previewed("change_as_previewed", event, attempt, change, digest)


def _table_difference(
    now: TableState, then: TableState, settings: Settings
) -> tuple[TableChange, TableDifferenceDocument]:
    """Return the effect at a table as a page shows it, and for REST."""
    sheet, seating, values = now
    sheet_then, seating_then, values_then = then
    shared = _share_changes(seating_then, values, values_then)
    hands_then = {hand.number: hand for hand in sheet_then.hands}
    pairs = [(hand, hands_then[hand.number]) for hand in sheet.hands if hand.number in hands_then]
    seats = []
    for finish, finish_then in ends_of(sheet, sheet_then):
        number = finish.seat.number
        sittings, sittings_then = (
            [sitting for sitting in each["sittings"] if sitting["seat"] == number]
            for each in (seating, seating_then)
        )
        seats.append((finish, finish_then, sittings != sittings_then or finish != finish_then))
    gone = [old.number for old, new in pairs if new.state == "void" != old.state]
    back = [old.number for old, new in pairs if old.state == "void" != new.state]
    revised = [
        old.number for old, new in pairs if old.revision != new.revision and old.state != "void"
    ]
    known_numbers = {hand.number for hand in sheet.hands}
    entered = [hand.number for hand in sheet_then.hands if hand.number not in known_numbers]
    sat_then = seating_then["sittings"]
    n_people = Counter(sitting["seat"] for sitting in sat_then)
    page: TableChange = {
        "number": sheet.number,
        "seats": seats,
        "split": [sitting for sitting in sat_then if n_people[sitting["seat"]] > 1],
        "shared": shared,
        "owners": EVENT_SETTINGS["substitutes"].line(settings.table_owners),
        "value_name": primary_named(settings.primary).name,
        "gone": gone,
        "back": back,
        "revised": revised,
        "entered": entered,
    }
    document: TableDifferenceDocument = {
        "table": sheet.code,
        "seats": [
            {
                "seat": finish.seat.number,
                "before": _end_json(finish),
                "after": _end_json(finish_then),
            }
            for finish, finish_then, _ in seats
        ],
        "sittings": {
            "before": [_sitting_json(sitting) for sitting in seating["sittings"]],
            "after": [_sitting_json(sitting) for sitting in sat_then],
        },
        "hands": {"deleted": gone, "restored": back, "revised": revised, "entered": entered},
    }
    if shared:
        document["shared"] = shared
    return page, document


def _share_changes(
    seating: SeatingDocument, values: TableValues, values_then: TableValues
) -> list[PreviewedShare]:
    """Return what the table is worth to everybody in a seat with a substitute, before and after."""
    seats = {row["seat"] for row in seating["sittings"] if row["substitute_for"] is not None}
    shares: dict[tuple[int, str], PreviewedShare] = {}
    for row in seating["sittings"]:
        if row["seat"] not in seats:
            continue
        player_id = row["player_id"]
        shares[row["seat"], player_id] = {
            "seat": row["seat"],
            "player_id": player_id,
            "player": row["name"],
            "before": values.get(player_id, 0) if values else None,
            "after": values_then.get(player_id, 0) if values_then else None,
        }
    return list(shares.values())


def _sitting_json(sitting: SittingDocument) -> PreviewedSitting:
    return {
        "seat": sitting["seat"],
        "player_id": sitting["player_id"],
        "from_hand": sitting["from_hand"],
        "to_hand": sitting["to_hand"],
        "substitute_for": sitting["substitute_for"],
    }


def _end_json(finish: Finish) -> PlayerEnd:
    return {"player_id": finish.seat.player_id or None, **end_json(finish)}
