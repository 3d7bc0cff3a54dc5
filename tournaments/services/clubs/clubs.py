"""Create and change clubs, their players and their logo; players change details of their own."""

import hashlib
import json
import re
import zoneinfo
from collections.abc import Container, Iterator, Mapping
from datetime import date
from functools import lru_cache
from itertools import chain, count
from typing import Any, Final

from django.conf import settings

from scoring.errors import Problem, Refused, shown
from tournaments.domain.etags import mark_of_text
from tournaments.domain.name_matching import (
    FOLDERS,
    folded,
    in_plain_letters,
    name_problems,
    one_line,
    player_name_problems,
    split_contact,
    without_hidden,
)
from tournaments.domain.people.public_names import erased_name, new_player
from tournaments.domain.sheets.images import clean_logo
from tournaments.errors import Conflict, Forbidden, Missing, refuse_any
from tournaments.models.clubs import Club, ClubLogo, Membership, Player
from tournaments.models.events import EntrantMember
from tournaments.models.rounds import Sitting
from tournaments.selectors.clubs.find_players import get_roll
from tournaments.selectors.events.players import ShownPlayer
from tournaments.services.clubs.members import lock_player, require_whole
from tournaments.services.clubs.names import (
    LONGEST_CODE,
    group_codes,
    group_problem,
    lock_names,
    refresh_public_names,
    require_known,
    require_not_former,
    slug_taken,
    taken_slugs,
)
from tournaments.services.db.locks import lock_account
from tournaments.services.db.transactions import unless_taken
from tournaments.services.operations import Operation, may_make_club, operation

SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_SLUG: Final = 60
BAD_SLUG: Final = ("no_slug", "bad_slug")
BAD_CLUB: Final = (
    *("no_name", "name_too_long", *BAD_SLUG, "slug_taken"),
    *("bad_time_zone", "bad_language"),
)
"""Error codes of a club's name, address, time zone or language."""

BAD_NAME: Final = ("no_name", "name_too_long", "contact_in_name")
BAD_NUMBER: Final = ("player_id_not_usable", "number_too_long", "player_id_is_a_code")
LONGEST_NICKNAME: Final = 60

DETAILS: Final = (
    "name",
    "nickname",
    "player_id",
    "joined",
    "is_active",
    "shown_as",
    "fills_in",
)
"""What can be changed of a player.

`shown_as` is how much of the name the public reads, empty for as much as the club's policy says;
`is_active` offers the player for seating; `fills_in` is whether the player is willing to fill in.
"""

UNCHANGED: Final[Any] = object()
"""A detail that keeps its value; None is a value of `joined`."""


@operation("make_club", refuses=BAD_CLUB)
def create_club(
    op: Operation, *, name: str, slug: str = "", time_zone: str = "UTC", language: str = "en"
) -> Club:
    """Create a club and become its owner.

    Any account may create one, unless the site reserves this for its administrators (403). A token
    that is bound to one club cannot.
    """
    if not may_make_club(op.actor):
        raise Forbidden("make_club")
    name = one_line(name)
    slug = slug or proposed_slug(name, taken_slugs())
    problems = name_problems(name) + (slug_problems(slug) if name or slug else [])
    refuse_any([*problems, *place_problems(time_zone, language)])
    lock_account(op.actor, "make_club")
    with unless_taken(slug_taken(slug)):
        club = Club.objects.create(
            slug=slug, name=name, time_zone=time_zone, language=language, created_at=op.now
        )
    require_not_former(club)
    if (owner := op.actor.user_id) is not None:
        Membership.objects.create(club=club, user_id=owner, role="owner", joined_at=op.now)
    op.audit(club)
    return club


def place_problems(time_zone: str, language: str) -> Iterator[Problem]:
    if time_zone not in time_zones():
        yield Problem("bad_time_zone", ("time_zone",), {"zone": time_zone})
    if language not in dict(settings.LANGUAGES):
        yield Problem("bad_language", ("language",), {"language": language})


@lru_cache(maxsize=1)
def time_zones() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones())


def proposed_slug(name: str, taken: Container[str] = ()) -> str:
    """Return the slug that a name proposes, the first one that is not taken; "" where none can.

    >>> proposed_slug("Straße & Søn: Łódź!"), proposed_slug("Riverside", {"riverside"})
    ('strasse-soen-lodz', 'riverside-2')
    """
    slug = "-".join(re.findall(r"[a-z0-9]+", in_plain_letters(name)))
    slug = slug[: LONGEST_SLUG - len("-999")].strip("-")
    if not slug:
        return ""
    candidates = chain([slug], (f"{slug}-{number}" for number in count(2)))
    return next(candidate for candidate in candidates if candidate not in taken)


def is_usable_number(code: str) -> bool:
    """Return whether a player may get this number: the last part of an address can be it.

    >>> [is_usable_number(code) for code in ("RL24", "Łódź 7", "..", "7/1", "7\\t", "")]
    [True, True, False, False, False, False]
    """
    return code not in FOLDERS and re.fullmatch(r"[^/\x00-\x1f\x7f]+", code) is not None


def number_problems(club: Club, player_id: str) -> list[Problem]:
    at = ("player_id",)
    if not is_usable_number(player_id):
        return [Problem("player_id_not_usable", at, {"found": shown(player_id)})]
    if len(player_id) > LONGEST_CODE:
        return [Problem("number_too_long", at, {"found": len(player_id), "expected": LONGEST_CODE})]
    problem = group_problem(player_id, group_codes(club, [player_id]))
    return [problem] if problem else []


def taken_number_problem(club: Club, player_id: str, player: int = 0) -> Problem | None:
    """Return a problem if a player other than `player` has the number, ignoring case.

    A database constraint cannot check this: rows of an older release may differ only by case.
    """
    others = Player.objects.filter(club=club).exclude(pk=player)
    for code in others.values_list("player_id", flat=True):
        if code.casefold() == player_id.casefold():
            return Problem("player_id_taken", ("player_id",), {"player_id": code})
    return None


def slug_problems(slug: str, longest: int = LONGEST_SLUG) -> list[Problem]:
    """Return what is wrong with a slug: small letters, digits and hyphens, not too many."""
    if not slug:
        return [Problem("no_slug", ("slug",))]
    if SLUG.fullmatch(slug) and len(slug) <= longest:
        return []
    return [Problem("bad_slug", ("slug",), {"slug": slug})]


@operation("edit_players", locks=lock_names, refuses=(*BAD_NAME, *BAD_NUMBER, "player_id_taken"))
def add_player(
    op: Operation, club: Club, /, *, name: str, player_id: str = "", joined: date | None = None
) -> Player:
    """Add a player to a club."""
    name = one_line(name)
    code = without_hidden(player_id).strip()
    problems = player_name_problems(name)
    if player_id:
        problems += number_problems(club, code)
    refuse_any(problems)
    if player_id and (problem := taken_number_problem(club, code)):
        raise Conflict(problem)
    code = code or next_player_id(club)
    return _store_new(op, new_player(club=club, player_id=code, name=name, joined=joined))


@operation("add_guest", locks=lock_names, refuses=BAD_NAME)
def add_guest(op: Operation, club: Club, /, *, name: str) -> Player:
    name = one_line(name)
    refuse_any(player_name_problems(name))
    return _store_new(op, new_player(club=club, player_id=next_player_id(club), name=name))


@operation("add_guest", locks=lock_names, refuses=BAD_NAME)
def add_guest_once(op: Operation, club: Club, /, *, name: str) -> Player:
    """Add a guest, or return the only player of exactly that name: a second tap adds nobody.

    The name of a merged player means who has the records now. Forms ask about a name of several
    players before, so that the guest is somebody else.
    """
    players = get_roll(club).called(name)
    if len(players) == 1:
        return players[0]
    return add_guest(op, club, name=name)


def _store_new(op: Operation, player: Player) -> Player:
    player.save()
    op.audit(player)
    return player


def next_player_id(club: Club) -> str:
    numbers = Player.objects.filter(club=club, player_id__istartswith="P")
    codes = {code.upper() for code in numbers.values_list("player_id", flat=True)}
    codes |= group_codes(club).keys()
    return next(code for n in count(1) if (code := f"P{n:04d}") not in codes)


def _clean_content(_club: Club, /, *, content: bytes) -> Mapping[str, bytes]:
    return {"content": clean_logo(content)}


@operation(
    "manage_club",
    locks=lock_names,
    check=_clean_content,  # it takes longer than all the rest
    refuses=("photo_too_large", "photo_too_many_pixels", "not_a_photo"),
)
def set_logo(op: Operation, club: Club, /, *, content: bytes) -> Club:
    """Set the logo of a club. The picture is scaled down and stored as PNG."""
    digest = hashlib.sha256(content).hexdigest()
    if club.logo_digest != digest:
        ClubLogo.objects.update_or_create(club=club, defaults={"png": content})
        _set_digest(op, club, digest)
    return club


@operation("manage_club", locks=lock_names, refuses=("unknown_logo",))
def remove_logo(op: Operation, club: Club, /) -> Club:
    """Remove the logo of a club."""
    if not club.logo_digest:
        raise Missing("logo")
    ClubLogo.objects.filter(club=club).delete()
    _set_digest(op, club, "")
    return club


def _set_digest(op: Operation, club: Club, digest: str) -> None:
    club.logo_digest = digest
    club.save(update_fields=["logo_digest"])
    op.audit(club, {"digest": digest})


def details_of(player: Player | ShownPlayer) -> dict[str, Any]:
    return {name: getattr(player, name) for name in DETAILS}


def details_tag(player: Player | ShownPlayer) -> str:
    texts = [str(value) for value in details_of(player).values()]
    return mark_of_text(json.dumps(texts, ensure_ascii=False))


def _lock_details(player: Player) -> Player:
    club = lock_names(player.club)
    locked = lock_player(club, player)
    locked.club = club
    return locked


@operation(
    "edit_own_player",
    locks=_lock_details,
    refuses=(
        *("unknown_player", "player_is_erased", "player_is_merged", "player_outdated"),
        *BAD_NAME,
        *BAD_NUMBER,
        *("player_id_taken", "player_id_is_used", "nickname_too_long", "nickname_taken"),
        *("bad_names_policy", "shown_as_is_own"),
    ),
)
def change_player(
    op: Operation,
    player: Player,
    /,
    *,
    based_on: str | None = None,
    name: str = UNCHANGED,
    nickname: str = UNCHANGED,
    player_id: str = UNCHANGED,
    joined: date | None = UNCHANGED,
    is_active: bool = UNCHANGED,
    shown_as: str = UNCHANGED,
    fills_in: bool = UNCHANGED,
) -> Player:
    """Change details of a player; players themselves may change `shown_as` and `nickname` only.

    `If-Match` is the ETag of the player that you read, or `*`. Without it the answer is 428; if
    somebody changed the details meanwhile it is 412.
    """
    values = (name, nickname, player_id, joined, is_active, shown_as, fills_in)
    changes = {
        key: value for key, value in zip(DETAILS, values, strict=True) if value is not UNCHANGED
    }
    is_own = op.actor.user_id is not None and player.user_id == op.actor.user_id
    is_own &= changes.keys() <= {"nickname", "shown_as"}
    operation = "edit_own_player" if is_own else "edit_player"
    if not is_own:
        op.require("edit_players", player)
    require_whole(player)
    tag = details_tag(player)
    if based_on and based_on != tag:
        raise Conflict(Problem("player_outdated"), there=tag)
    differing = {}
    for key, before in details_of(player).items():
        value = changes.get(key, before)
        if isinstance(value, str) and value != before:
            value = one_line(value)
        if value != before:
            differing[key] = value
    problems = list(_problems(player, differing))
    if "shown_as" in differing and player.user_id not in (None, op.actor.user_id):
        problems.append(Problem("shown_as_is_own", ("shown_as",), {"player": player.player_id}))
    refuse_any(problems)
    if differing:
        _store(op, player, differing, operation)
    return player


def _problems(player: Player, differing: Mapping[str, Any]) -> Iterator[Problem]:
    if "name" in differing:
        yield from player_name_problems(differing["name"])
    if nickname := differing.get("nickname"):
        yield from _nickname_problems(player, nickname)
    if "player_id" in differing:
        yield from number_problems(player.club, differing["player_id"])
        if is_used(player):  # results and addresses stay what they are
            yield Problem("player_id_is_used", ("player_id",), {"player": player.player_id})
    if shown_as := differing.get("shown_as"):
        try:
            require_known(shown_as, "shown_as")
        except Refused as refused:
            yield from refused.problems


def _nickname_problems(player: Player, nickname: str) -> Iterator[Problem]:
    at = ("nickname",)
    words = folded(nickname)
    if split_contact(nickname)[1]:
        yield Problem("contact_in_name", at, {"found": shown(nickname)})
        return
    if len(nickname) > LONGEST_NICKNAME:
        facts = {"found": len(nickname), "expected": LONGEST_NICKNAME}
        yield Problem("nickname_too_long", at, facts)
        return
    others = Player.objects.filter(club=player.club_id).exclude(pk=player.pk)
    columns = ("player_id", "name", "nickname", "public_name")
    for names in others.values_list(*columns) if words else ():
        if words in map(folded, (*names, erased_name(names[0]))):
            yield Problem("nickname_taken", at, {"found": shown(nickname), "player": names[0]})
            return


def is_used(player: Player) -> bool:
    """Whether results, entries or seats name a player by the number, so that it stays."""
    seated = Sitting.objects.filter(player=player)
    return EntrantMember.objects.filter(player=player).exists() or seated.exists()


def _store(op: Operation, player: Player, differing: Mapping[str, Any], operation: str) -> None:
    if "player_id" in differing and (
        problem := taken_number_problem(player.club, differing["player_id"], player.pk)
    ):
        raise Conflict(problem)
    facts = {"changed": list(differing)}
    for name in ("player_id", "shown_as"):
        if name in differing:
            facts[name] = [getattr(player, name), differing[name]]
    op.audit(player, facts, name=operation)  # under the number as it was
    if "name" in differing:
        differing = {**differing, "is_compared": False}
    for name, value in differing.items():
        setattr(player, name, value)
    player.save(update_fields=list(differing))
    refresh_public_names(op.actor, player.club, [player], op.now)
