"""The rows of every table of the database."""

from tournaments.models.audit import AuditHead, AuditLine
from tournaments.models.hands import Entry, Game, Hand, SeatScore
from tournaments.models.jobs import Dirty
from tournaments.models.standings import Aggregate, Change, Contribution, Publication


def rows_of_everything() -> dict[str, list[tuple[object, ...]]]:
    models = (
        *(AuditLine, AuditHead, Change, Dirty, Entry, Hand, SeatScore, Aggregate, Contribution),
        *(Publication, Game),
    )
    return {model.__name__: list(model.objects.order_by("pk").values_list()) for model in models}
