"""Addresses of clubs below `/api/v1/`."""

from django.urls import URLPattern, path

from api.openapi import together
from api.v1.addresses import CLAIM, CLUB
from api.v1.clubs import audit, change_club, clubs, link_player, members, people, players, rosters

urlpatterns: list[URLPattern] = [
    *audit.MAILS.paths(f"{CLUB}/mail"),
    path(f"{CLUB}/mail/<number:number>/send", audit.send_mail_again_view, name="send_mail_again"),
    path("search", clubs.search, name="search"),
    path(f"{CLUB}/search", clubs.search_club, name="search_club"),
    *clubs.CLUBS.paths("clubs", writes=clubs.create_club_view),
    path(CLUB, together(clubs.read_club, change_club.change_club_view), name="read_club"),
    path(
        f"{CLUB}/logo",
        together(change_club.remove_logo_view, change_club.set_logo_view),
        name="remove_logo",
    ),
    path(f"{CLUB}/export", change_club.export_club, name="export_club"),
    path(f"{CLUB}/delete", change_club.delete_club_view, name="delete_club"),
    path(f"{CLUB}/delete/undo", change_club.undo_delete_club_view, name="undo_delete_club"),
    *players.PLAYERS.paths(f"{CLUB}/players", writes=players.add_player_view),
    path(f"{CLUB}/rosters", rosters.add_roster_view, name="add_roster"),
    path(f"{CLUB}/rosters/<number:number>/undo", rosters.undo_roster_view, name="undo_roster"),
    path(
        f"{CLUB}/players/<name:player_id>",
        together(players.read_player, players.change_player),
        name="read_player",
    ),
    path(
        f"{CLUB}/players/<name:player_id>/link",
        together(link_player.read_player_link, link_player.link_player_view),
        name="read_player_link",
    ),
    path(
        f"{CLUB}/players/<name:player_id>/claim", link_player.claim_player_view, name="claim_player"
    ),
    path(f"{CLUB}/players/<name:player_id>/merge", people.merge_player_view, name="merge_player"),
    path(
        f"{CLUB}/players/<name:player_id>/unmerge",
        people.unmerge_player_view,
        name="unmerge_player",
    ),
    path(f"{CLUB}/players/<name:player_id>/erase", people.erase_player_view, name="erase_player"),
    path(
        f"{CLUB}/players/<name:player_id>/erasure-request",
        people.request_erasure_view,
        name="request_erasure",
    ),
    *players.RESULTS.paths(f"{CLUB}/players/<name:player_id>/results"),
    *players.OPPONENTS.paths(f"{CLUB}/players/<name:player_id>/opponents"),
    path(
        f"{CLUB}/players/<name:player_id>/records",
        players.read_player_records,
        name="read_player_records",
    ),
    path(f"{CLUB}/players/<name:player_id>/data", people.read_player_data, name="read_player_data"),
    *link_player.CLAIMS.paths(f"{CLUB}/claims"),
    path(f"{CLAIM}/confirm", link_player.confirm_claim_view, name="confirm_claim"),
    path(f"{CLAIM}/reject", link_player.reject_claim_view, name="reject_claim"),
    path(f"{CLAIM}/withdraw", link_player.withdraw_claim_view, name="withdraw_claim"),
    *members.MEMBERS.paths(f"{CLUB}/members"),
    path(
        f"{CLUB}/members/<name:member>",
        together(members.read_member, members.change_member_view, members.remove_member_view),
        name="read_member",
    ),
    *members.INVITATIONS.paths(f"{CLUB}/invitations", writes=members.create_invitation_view),
    path(
        f"{CLUB}/invitations/<name:invitation>",
        members.revoke_invitation_view,
        name="revoke_invitation",
    ),
    path(
        f"{CLUB}/invitations/<name:invitation>/resend",
        members.resend_invitation_view,
        name="resend_invitation",
    ),
    *audit.AUDIT.paths(f"{CLUB}/audit"),
    *audit.REFUSED_ACTS.paths(f"{CLUB}/audit/refused"),
]
