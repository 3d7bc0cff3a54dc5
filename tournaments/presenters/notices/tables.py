"""Messages about one's own table: corrections, decided disputes, where to sit next."""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.entry.sheet import seat_names
from tournaments.models.disputes import Dispute, DisputeState
from tournaments.models.hands import Entry, Hand, SeatScore
from tournaments.models.meetings import RoundState, Sitting, Table
from tournaments.models.numbers import as_json
from tournaments.presenters.notices.sentences import (
    MINUS,
    NoticeContext,
    NoticeText,
    page_of,
    quoted,
    where_of,
)

CORRECTED: Final[Mapping[str, str | Promise]] = {
    "correct": gettext_lazy("Hand %(number)s at your table was corrected"),
    "restore": gettext_lazy("Hand %(number)s at your table was restored"),
    "void": gettext_lazy("Hand %(number)s at your table was voided"),
}
DECIDED: Final[Mapping[str, str | Promise]] = {
    DisputeState.UPHELD: gettext_lazy("The dispute of hand %(number)s was upheld"),
    DisputeState.REJECTED: gettext_lazy("The dispute of hand %(number)s was rejected"),
}


def correction(context: NoticeContext) -> NoticeText | None:
    """Tell who sat at a table that one of its hands is another one."""
    rows = Hand.objects.select_related("game__table__round", "game__table__event__club")
    hand = rows.filter(pk=context.id_of("hand")).first()
    if hand is None or not context.may_read(hand.game.table.event):
        return None
    table = hand.game.table
    revision = Entry.objects.filter(hand=hand, revision=context.id_of("revision")).first()
    reason = revision.reason if revision is not None and context.facts["act"] != "void" else ""
    return NoticeText(
        str(CORRECTED[context.facts["act"]]) % {"number": hand.number},
        _("Open hand"),
        page_of(table.event, "hand", table.code, hand.number),
        (where_of(table), *([_("Reason: %s") % quoted(reason)] if reason else [])),
        _scores(hand, context.id_of("revision")) if context.facts["act"] == "correct" else (),
    )


def _scores(hand: Hand, revision: int) -> tuple[tuple[str, str], ...]:
    """Return who gets what by a revision of a hand that counts; nothing where it does not."""
    rows = SeatScore.objects.filter(entry__hand=hand, entry__revision=revision, score_im=None)
    sitting = Sitting.objects.filter(seat__table=hand.game.table_id, from_hand__lte=hand.number)
    names = dict(sitting.order_by("from_hand").values_list("seat__number", "player__name"))
    found = rows.order_by("seat__number").values_list("seat__number", "score")
    return tuple(
        (names.get(seat, str(seat)), str(as_json(score)).replace("-", MINUS))
        for seat, score in found
    )


def dispute_decided(context: NoticeContext) -> NoticeText | None:
    """Tell who opened a dispute, and who sat at the table, how it was ruled."""
    rows = Dispute.objects.select_related(
        "event__club", "hand__game__table__round", "hand__game__table__event__club"
    )
    dispute = rows.filter(pk=context.id_of("dispute"), state__in=DECIDED).first()
    if dispute is None or not context.may_read(dispute.event):
        return None
    table = dispute.hand.game.table
    return NoticeText(
        str(DECIDED[dispute.state]) % {"number": dispute.hand.number},
        _("Open hand"),
        page_of(table.event, "hand", table.code, dispute.hand.number),
        (where_of(table), _("Ruling: %s") % quoted(dispute.ruling)),
    )


def next_table(context: NoticeContext) -> NoticeText | None:
    """Tell somebody where they sit in a round that was posted."""
    rows = Table.objects.select_related("round", "event__club")
    table = rows.filter(pk=context.id_of("table")).exclude(round__state=RoundState.DRAFT).first()
    if table is None or not context.may_read(table.event):
        return None
    seats = seat_names(table.seats.count())
    sitting = Sitting.objects.filter(seat__table=table, to_hand__isnull=True)
    found = list(
        sitting.order_by("seat__number").values_list(
            "seat__number", "player__name", "player__user_id"
        )
    )
    own = [seats[seat - 1] for seat, _name, user_id in found if user_id == context.reader.pk]
    if not own:
        return None  # somebody else sits there by now
    others = [(seats[seat - 1], name) for seat, name, user_id in found if seats[seat - 1] != own[0]]
    title = _("Your next table: table %(table)s, seat %(seat)s")
    return NoticeText(
        title % {"table": table.number, "seat": own[0]},
        _("Open table"),
        page_of(table.event, "table", table.code),
        (where_of(table),),
        tuple((_("Seat %s") % seat, name) for seat, name in others),
    )
