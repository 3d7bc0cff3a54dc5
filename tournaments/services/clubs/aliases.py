"""Keep by which other names files call players, confirm what a host proposed, and remove them."""

from collections.abc import Mapping

from django.db.models import Max

from tournaments.documents.read.own_names import is_own_name
from tournaments.domain.name_matching import LONGEST_NAME, folded, one_line, player_name_problems
from tournaments.domain.people.who_is_meant import Judge
from tournaments.errors import Missing
from tournaments.models.clubs import Club, Player, PlayerAlias
from tournaments.policy import may
from tournaments.selectors.clubs.clubs import get_role
from tournaments.services.clubs.names import lock_names
from tournaments.services.operations import Operation, operation


def keep_names(op: Operation, club: Club, names: Mapping[str, Player]) -> int:
    """Keep who is meant by names of a file: those of directors count, a host's are proposals.

    A name that is the whole name, the nickname or the id of a player is none to keep; where it was
    kept for another player, that ends. Nor is a seat, a number or a usual head (`is_own_name`).
    The caller holds the club (`lock_names`).

    Returns:
        The number of names that are kept.
    """
    role = get_role(op.actor, club.pk)
    is_confirmed = op.actor.is_site_admin or may(role, "edit_players")
    is_confirmed = is_confirmed and op.actor.is_within_scope("edit_players")
    judge = _judge_of(club)
    newest = Player.objects.filter(club=club).aggregate(last=Max("pk"))["last"] or 0
    # An erasure and a merge hold the rows of their players.
    players = {player.pk for player in names.values()}
    rows = Player.objects.select_for_update(no_key=True).filter(pk__in=players).order_by("pk")
    whole = {player.pk for player in rows if player.merged_into_id is None and not player.erased_at}
    n_kept = 0
    for text, player in names.items():
        name = one_line(text)
        is_of_player = judge.with_id(name) is not None or bool(judge.called(name))
        others = PlayerAlias.objects.filter(club=club, folded=folded(name))
        if is_of_player and is_confirmed:
            others.delete()
        if is_of_player or player.pk not in whole:
            continue
        if len(name) > LONGEST_NAME or player_name_problems(name) or not is_own_name(name):
            continue
        n_kept += _keep(op, player, name, role=role, newest=newest, is_confirmed=is_confirmed)
    return n_kept


def _keep(
    op: Operation, player: Player, name: str, *, role: str, newest: int, is_confirmed: bool
) -> bool:
    """Store who is meant by a name; False if a proposal says what is confirmed already."""
    of_name = PlayerAlias.objects.filter(club=player.club_id, folded=folded(name))
    if not is_confirmed and of_name.filter(is_confirmed=True, player=player).exists():
        return False
    alias, _is_new = PlayerAlias.objects.update_or_create(
        club_id=player.club_id,
        folded=folded(name),
        is_confirmed=is_confirmed,
        defaults={
            "player": player,
            "name": name,
            "newest": newest,
            "made_as": role,
            "made_at": op.now,
        },
    )
    if is_confirmed:
        of_name.filter(is_confirmed=False).delete()
    op.audit(alias, {"alias": str(alias.public_id)}, name="keep_alias")
    return True


def _judge_of(club: Club) -> Judge[int]:
    judge: Judge[int] = Judge()
    rows = Player.objects.filter(club=club, erased_at=None)
    columns = ("pk", "player_id", "name", "nickname")
    for pk, player_id, name, nickname in rows.values_list(*columns):
        judge.add(pk, key=pk, player_id=player_id, name=name, nickname=nickname)
    return judge


def _lock_alias(alias: PlayerAlias) -> PlayerAlias:
    lock_names(alias.club)
    locked = PlayerAlias.objects.select_related("club", "player").filter(pk=alias.pk).first()
    if locked is None:
        raise Missing("alias")
    return locked


@operation("edit_players", locks=_lock_alias, refuses=("unknown_alias",))
def confirm_alias(op: Operation, alias: PlayerAlias, /) -> PlayerAlias:
    """Confirm another name of a player that a host proposed: files are read by it from now on.

    The name of another player, if it was kept as one of theirs, is so no more.
    """
    if alias.is_confirmed:
        return alias
    of_name = PlayerAlias.objects.filter(club=alias.club_id, folded=alias.folded)
    of_name.exclude(pk=alias.pk).delete()
    alias.is_confirmed = True
    alias.made_as = get_role(op.actor, alias.club_id)
    alias.made_at = op.now
    alias.newest = Player.objects.filter(club=alias.club_id).aggregate(last=Max("pk"))["last"]
    alias.save()
    op.audit(alias, {"alias": str(alias.public_id)})
    return alias


@operation("edit_players", locks=_lock_alias, refuses=("unknown_alias",))
def remove_alias(op: Operation, alias: PlayerAlias, /) -> None:
    """Remove another name of a player, confirmed or proposed; files with it ask who is meant."""
    public_id = str(alias.public_id)
    op.audit(alias, {"alias": public_id})
    PlayerAlias.objects.filter(pk=alias.pk).delete()
