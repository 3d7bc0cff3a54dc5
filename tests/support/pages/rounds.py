"""Pages that manage a round."""

from tournaments.models.rounds import Sitting

EVENT = "/clubs/riverside/events/league"
ROUND = f"{EVENT}/rounds/1"


def seats(*typed: str, **more: str) -> dict[str, str]:
    return {f"seat-{n}": text for n, text in enumerate(typed, start=1)} | more


def seated(code: str = "r1t1") -> list[str]:
    rows = Sitting.objects.filter(seat__table__code=code).order_by("seat__number")
    return [row.player.player_id for row in rows]
