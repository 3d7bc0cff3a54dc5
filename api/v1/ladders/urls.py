"""Addresses of ladders below `/api/v1/`."""

from django.urls import URLPattern, path

from api.v1.addresses import EVENT, LADDER
from api.v1.ladders import challenges, ladders

urlpatterns: list[URLPattern] = [
    path(LADDER, ladders.read_ladder, name="read_ladder"),
    path(f"{LADDER}.csv", ladders.read_ladder_csv, name="read_ladder_csv"),
    path(
        f"{LADDER}/publications/<number:number>",
        ladders.read_ladder_publication,
        name="read_ladder_publication",
    ),
    path(
        f"{LADDER}/publications/<number:number>.csv",
        ladders.read_ladder_publication_csv,
        name="read_ladder_publication_csv",
    ),
    *ladders.MOVES.paths(f"{LADDER}/moves"),
    *ladders.HISTORY.paths(f"{LADDER}/members/<name:player_id>/ratings"),
    path(
        f"{LADDER}/members/<name:player_id>",
        ladders.read_ladder_member,
        name="read_ladder_member",
    ),
    path(f"{LADDER}/what-if", ladders.read_ladder_what_if, name="read_ladder_what_if"),
    *ladders.RATINGS.paths(f"{EVENT}/ratings"),
    *challenges.CHALLENGES.paths(f"{EVENT}/challenges", writes=challenges.issue_challenge_view),
    path(f"{EVENT}/challenges/<number:number>", challenges.read_challenge, name="read_challenge"),
    path(
        f"{EVENT}/challenges/<number:number>/moves",
        challenges.move_challenge_view,
        name="move_challenge",
    ),
    path(
        f"{EVENT}/challenges/<number:number>/postpone",
        challenges.postpone_challenge_view,
        name="postpone_challenge",
    ),
    path(
        f"{EVENT}/challenges/<number:number>/result",
        challenges.give_result_view,
        name="give_result",
    ),
    *challenges.ABSENCES.paths(f"{EVENT}/absences", writes=challenges.tell_absence_view),
    path(f"{EVENT}/absences/end", challenges.end_absence_view, name="end_absence"),
]
