"""Making the boards of a duplicate event: dealt from a seed, or read from a file."""

import json
import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from scoring.duplicate.deal_from_seed import commitment_of, deal_from_seed, deal_text
from scoring.duplicate.deals import LAST_BOARD as LAST_BOARD
from scoring.duplicate.deals import DealtBoard, read_deals
from scoring.duplicate.pbn import read_pbn
from scoring.errors import Problem, Refused
from tournaments.domain.event_settings import settings_of
from tournaments.domain.sealing import seal
from tournaments.errors import Conflict
from tournaments.models.deals import Board, Deal, DealSource
from tournaments.models.events import Event
from tournaments.policy import Actor
from tournaments.services.access.permissions import require
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.event_lock import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.states import require_running

SEED_BYTES: Final = 16
LAST_ROUND: Final = 999
MOST_BYTES: Final = 2_000_000
"""The largest deal file: a thousand boards in our form take a fifth of it."""


@atomic_act
def deal_boards(
    *,
    actor: Actor,
    event: Event,
    count: int,
    now: datetime,
    boards_per_round: int = 0,
    first_round: int = 1,
    seed: str = "",
) -> Deal:
    """Deal `count` boards from a seed, numbered after those that are there.

    Args:
        boards_per_round: so many boards belong to each round from `first_round` on, in order;
            0 = boards move, and belong to no round.
        seed: empty = made at random. It is kept, and shown to nobody before every one of its
            boards may be shown.

    Raises:
        Forbidden: manage_event.
        Conflict: not_duplicate, event_is_over.
        Refused: bad_number_of_boards, bad_board_rounds.
    """
    require(actor, event.club, "manage_event")
    event = _locked(event)
    last = _last_number(event)
    problems = [*_round_problems(boards_per_round, first_round)]
    if not 1 <= count <= LAST_BOARD - last:
        facts = {"found": count, "most": LAST_BOARD - last}
        problems.insert(0, Problem("bad_number_of_boards", ("count",), facts))
    if problems:
        raise Refused(*problems)
    seed = seed or secrets.token_hex(SEED_BYTES)
    deals = [deal_from_seed(seed, number) for number in range(last + 1, last + count + 1)]
    rounds = (boards_per_round, first_round)
    return _store(actor, event, DealSource.SEED, seed, deals, rounds=rounds, now=now)


@atomic_act
def load_boards(
    *,
    actor: Actor,
    event: Event,
    content: bytes,
    now: datetime,
    boards_per_round: int = 0,
    first_round: int = 1,
) -> Deal:
    """Make the boards of a deal file: JSON in our form, or PBN.

    Args:
        content: the file. Its boards keep their numbers; in that order so many belong to each
            round, as `deal_boards` says.

    Raises:
        Forbidden: manage_event.
        Conflict: not_duplicate, event_is_over.
        Refused: deal_file_unreadable, what the readers find, boards_exist, bad_board_rounds.
    """
    require(actor, event.club, "manage_event")
    event = _locked(event)
    if problems := tuple(_round_problems(boards_per_round, first_round)):
        raise Refused(*problems)
    deals = read_deal_file(content)
    numbers = [deal.number for deal in deals]
    there = Board.objects.filter(event=event, number__in=numbers).order_by("number")
    if taken := list(there.values_list("number", flat=True)):
        facts = {"boards": ", ".join(map(str, taken))}
        raise Refused(Problem("boards_exist", ("deals",), facts))
    rounds = (boards_per_round, first_round)
    return _store(actor, event, DealSource.FILE, deal_text(deals), deals, rounds=rounds, now=now)


def read_deal_file(content: bytes) -> Sequence[DealtBoard]:
    """Return the deals of a file: JSON where it begins with a brace, else PBN.

    Raises:
        Refused: deal_file_unreadable, and what the readers find.
    """
    if len(content) > MOST_BYTES:
        raise Refused(Problem("deal_file_unreadable", ("deals",)))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    if not text.lstrip().startswith("{"):
        return read_pbn(text)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise Refused(Problem("deal_file_unreadable", ("deals",))) from None
    return read_deals(document)


def _locked(event: Event) -> Event:
    event = lock_event(event)
    require_running(event)
    if not settings_of(event).duplicate:
        raise Conflict(Problem("not_duplicate"))
    return event


def _last_number(event: Event) -> int:
    numbers = Board.objects.filter(event=event).order_by("-number")
    return numbers.values_list("number", flat=True).first() or 0


def _round_problems(boards_per_round: int, first_round: int) -> Sequence[Problem]:
    found = []
    for field, value, least, most in (
        ("boards_per_round", boards_per_round, 0, LAST_BOARD),
        ("first_round", first_round, 1, LAST_ROUND),
    ):
        if not least <= value <= most:
            facts = {"found": value, "least": least, "most": most}
            found.append(Problem("bad_board_rounds", (field,), facts))
    return found


def _store(
    actor: Actor,
    event: Event,
    source: str,
    secret: str,
    deals: Sequence[DealtBoard],
    *,
    rounds: tuple[int, int],
    now: datetime,
) -> Deal:
    """Store boards that are sealed; nothing that is written names a card or the seed."""
    per_round, first_round = rounds
    made = Deal.objects.create(
        club_id=event.club_id,
        event=event,
        source=source,
        sealed=seal(secret.encode()),
        commitment=commitment_of(secret),
        made_at=now,
    )
    Board.objects.bulk_create(
        Board(
            club_id=event.club_id,
            event=event,
            deal=made,
            number=deal.number,
            dealer=deal.dealer,
            round=first_round + at // per_round if per_round else None,
        )
        for at, deal in enumerate(deals)
    )
    append_audit(
        club=event.club,
        actor=actor,
        act="make_deals",
        subject=f"event:{event.slug}",
        facts={
            "source": source,
            "boards": len(deals),
            "first": deals[0].number,
            "last": deals[-1].number,
            "commitment": made.commitment,
        },
        now=now,
    )
    return made
