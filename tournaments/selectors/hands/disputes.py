"""The disputes of an event as pages and REST show them.

The person who opened a dispute or ruled on it is never named, only the role. All readers of the
event see disputes and rulings; only those concerned read the words (`visible_disputes`).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import Coalesce

from tournaments.errors import first_or_missing
from tournaments.models.access import PersonalLink
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Dispute, DisputeState, HandState
from tournaments.models.rounds import Round, Sitting
from tournaments.policy import PLAYER, PUBLIC, Actor, may, shown_role
from tournaments.selectors.clubs.names import texts_for

NOT_MENDED: Final = Q(
    state=DisputeState.UPHELD, hand__state=HandState.ACCEPTED, hand__revision=F("revision")
)
"""A dispute that was upheld and whose hand was not corrected since."""


def list_disputes(event: Event) -> QuerySet[Dispute]:
    disputes = Dispute.objects.filter(event=event).select_related("hand__game__table__round")
    return disputes.order_by("number")


def upheld_disputes(event: Event) -> QuerySet[Dispute]:
    return list_disputes(event).filter(NOT_MENDED)


def get_dispute(event: Event, number: int) -> Dispute:
    disputes = list_disputes(event).filter(number=number)
    dispute = first_or_missing(disputes, "dispute", dispute=number)
    dispute.event = event
    return dispute


def list_open_of_opener(event: Event, label: str) -> QuerySet[Dispute]:
    """Return the open disputes of an event that one person opened, by the label of an actor; none
    without. The person's account and personal links are one."""
    labels = labels_of_person(event.club_id, label)
    return list_disputes(event).filter(state=DisputeState.OPEN, opened_label__in=labels)


def labels_of_person(club_id: int, label: str) -> frozenset[str]:
    """Return all labels of the person behind an actor's label in a club; at most two queries.

    An account and the personal links of its player are one person. Who holds the link of a table is
    not known: it is a person of its own.
    """
    kind, _colon, number = label.partition(":")
    if kind not in ("user", "person") or not number.isdecimal():
        return frozenset({label} if label else ())
    links = PersonalLink.objects.filter(club=club_id)
    players = Player.objects.filter(club=club_id)
    if kind == "user":
        own = players.filter(user=int(number))
    else:
        opened = links.filter(pk=int(number)).values(kept=Coalesce("player__merged_into", "player"))
        own = players.filter(pk__in=opened)
    labels = {label}
    of_own = links.filter(Q(player__in=own) | Q(player__merged_into__in=own))
    labels.update(f"person:{link}" for link in of_own.values_list("pk", flat=True))
    accounts = own.filter(user__isnull=False).values_list("user_id", flat=True)
    labels.update(f"user:{account}" for account in accounts)
    return frozenset(labels)


def count_open_by_number(event: Event, code: str) -> dict[int, int]:
    """Return how many disputes are open at a table, by number of the hand; one query."""
    rows = Dispute.objects.filter(
        event=event, state=DisputeState.OPEN, hand__game__table__code=code
    )
    return dict(rows.values_list("hand__number").annotate(n=Count("pk")).order_by("hand__number"))


def count_open_disputes(hand_id: int) -> int:
    """Return how many disputes of one hand, by its row, are open; one query."""
    return Dispute.objects.filter(hand=hand_id, state=DisputeState.OPEN).count()


def count_open_by_hand(event: Event, hands: Collection[int]) -> Mapping[int, int]:
    """Return how many disputes of each of these hands are open, by row; one query."""
    rows = Dispute.objects.filter(event=event, state=DisputeState.OPEN, hand__in=hands)
    return dict(rows.values_list("hand").annotate(n=Count("pk")).order_by("hand"))


def list_disputed_hands(round_: Round) -> Mapping[str, Sequence[int]]:
    """Return the numbers of a round's hands with an open dispute, by table; one query."""
    rows = Dispute.objects.filter(
        event=round_.event_id, state=DisputeState.OPEN, hand__game__table__round=round_
    )
    numbers: dict[str, list[int]] = {}
    values = rows.order_by("hand__number").values_list("hand__game__table__code", "hand__number")
    for code, number in values.distinct():
        numbers.setdefault(code, []).append(number)
    return numbers


def list_disputes_of_hand(actor: Actor, event: Event, code: str, number: int) -> Sequence[Dispute]:
    condition = Q(hand__game__table__code=code, hand__number=number)
    return visible_disputes(actor, event, list_disputes(event).filter(condition))


def visible_disputes(
    actor: Actor, event: Event, disputes: Iterable[Dispute]
) -> tuple[Dispute, ...]:
    """Return disputes of an event as `actor`, its reader, may see them.

    The words, and the ruling of a withdrawn dispute, are for the opener, the players at the table,
    the holder of its link, and those who enter hands in the club: None and "" for the others. At
    most two queries.
    """
    rows = tuple(disputes)
    say = texts_for(event)
    reads_all = may(str(getattr(event, "role", PUBLIC)), "read_dispute")
    own_tables = frozenset() if reads_all or not rows else _get_own_tables(actor, event)
    for row in rows:
        row.words, row.ruling = say(row.words), say(row.ruling)
        if reads_all or _is_own(actor, row) or row.hand.game.table_id in own_tables:
            continue
        row.words = None  # type: ignore[assignment]  # as the answer has it
        if row.state == DisputeState.WITHDRAWN:
            row.ruling = ""
    return rows


def _is_own(actor: Actor, dispute: Dispute) -> bool:
    is_here = actor.club_id in (None, dispute.club_id)
    return is_here and actor.kind != "public" and dispute.opened_label == actor.label


def _get_own_tables(actor: Actor, event: Event) -> frozenset[int]:
    if actor.user_id is None or actor.club_id not in (None, event.club_id):
        return frozenset()
    sittings = Sitting.objects.filter(seat__table__event=event, player__user_id=actor.user_id)
    return frozenset(sittings.values_list("seat__table", flat=True))


def has_sat_at(actor: Actor, table_id: int) -> bool:
    """Whether the actor's own player has a sitting at a table; at most one query."""
    if actor.user_id is None:
        return False
    return Sitting.objects.filter(seat__table=table_id, player__user_id=actor.user_id).exists()


def may_dispute(actor: Actor, event: Event, code: str) -> bool:
    role = shown_role(str(getattr(event, "role", "")))
    if event.state == "final" or not may(role or "public", "open_dispute"):
        return False
    if role != PLAYER or actor.user_id is None:
        return role != PLAYER
    sittings = Sitting.objects.filter(
        seat__table__event=event, seat__table__code=code, player__user_id=actor.user_id
    )
    return sittings.exists()
