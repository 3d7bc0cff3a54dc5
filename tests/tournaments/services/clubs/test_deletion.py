"""A club that waits for its deletion is read, exported and brought back; nothing else is done."""

from datetime import timedelta

import pytest

from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast
from tournaments.errors import ClubIsReadOnly, Forbidden, Missing
from tournaments.models.access import Invitation
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club
from tournaments.policy import MAY, OWNER, command, may
from tournaments.services.clubs.deletion import delete_club, note_export, undo_deletion
from tournaments.services.clubs.invitations import Invite, invite, invite_many, resend_invitation
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.permissions import require

ALLOWED = {
    *("read_public", "read_members", "read_held", "read_dispute", "read_audit"),
    *("export_player", "export_club", "delete_club"),
}
"""Of the acts of an owner in a club, those that change nothing, and undoing the deletion."""


def deleted(cast: Cast) -> Club:
    """Riverside after Olga deleted it."""
    olga = cast.actor("olga")
    note_export(actor=olga, club=cast.riverside, now=NOW)
    return delete_club(actor=olga, club=cast.riverside, confirm="riverside", now=NOW)


@pytest.mark.parametrize("act", sorted(MAY))
def test_owner_and_administrator_do_nothing_but_read_export_and_undo(cast: Cast, act: str) -> None:
    assert may(OWNER, act)
    club = deleted(cast)
    for actor in (cast.actor("olga"), command("tests")):
        if act in ALLOWED:
            require(actor, club, act)
        else:
            with pytest.raises(ClubIsReadOnly):
                require(actor, club, act)
    for name in ("dirk", "hanna", "piet"):
        if act not in ("read_public", "own_account", "join_club", "make_club"):
            with pytest.raises(Forbidden):
                require(cast.actor(name), club, act)


def test_nobody_is_invited_until_the_deletion_is_undone(cast: Cast) -> None:
    olga, club = cast.actor("olga"), cast.riverside
    before = invite(actor=olga, club=club, role="host", now=NOW)
    club = deleted(cast)
    n_lines = AuditLine.objects.filter(club=club).count()
    with pytest.raises(ClubIsReadOnly):
        invite_many(actor=olga, club=club, role="player", people=[Invite(name="Ada")], now=NOW)
    with pytest.raises(ClubIsReadOnly):
        resend_invitation(actor=olga, club=club, public_id=before.public_id, now=NOW)
    assert Invitation.objects.count() == 1
    assert AuditLine.objects.filter(club=club).count() == n_lines
    club = undo_deletion(actor=olga, club=club, now=NOW + timedelta(days=13))
    invite_many(actor=olga, club=club, role="player", people=[Invite(name="Ada")], now=NOW)


def test_hands_are_neither_entered_nor_deleted(cast: Cast) -> None:
    game = table(league(cast.riverside), players(cast.riverside, "Ann", "Ben", "Cem", "Dora"))
    hand(game, 1, [4, 1, 2, 6], 3)
    deleted(cast)
    with pytest.raises(ClubIsReadOnly):
        hand(game, 2, [4, 1, 2, 6], 3, actor=cast.actor("olga"))
    with pytest.raises(ClubIsReadOnly):
        void_hand(
            actor=cast.actor("olga"), game=game, number=1, reason="No.", based_on=1, now=NOW
        )  # fmt: skip
    with pytest.raises((Forbidden, Missing)):
        hand(game, 2, [4, 1, 2, 6], 3, actor=cast.actor("hanna"))


def test_page_and_rest_say_why(cast: Cast) -> None:
    before = invite(actor=cast.actor("olga"), club=cast.riverside, role="host", now=NOW)
    deleted(cast)
    browser = cast.client("olga")
    rest = browser.post("/api/v1/clubs/riverside/invitations", {"role": "host"}, "application/json")
    assert rest.status_code == 403
    assert rest.json()["errors"][0]["code"] == "club_is_read_only"
    assert "Undo the deletion" in rest.json()["detail"]
    page = browser.post(f"/clubs/riverside/invitations/{before.public_id}", {"resend": "1"})
    assert page.status_code == 403
    assert "This club is being deleted" in page.content.decode()
    assert browser.get("/clubs/riverside/settings").status_code == 200
