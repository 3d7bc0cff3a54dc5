"""Addresses of playoffs below `/api/v1/`."""

from django.urls import URLPattern, path

from api.v1.addresses import EVENT, PLAYOFF
from api.v1.playoffs import playoffs

urlpatterns: list[URLPattern] = [
    *playoffs.PLAYOFFS.paths(f"{EVENT}/playoffs"),
    path(
        f"{EVENT}/stages/<number:number>/playoff", playoffs.play_off_tie_view, name="play_off_tie"
    ),
    path(PLAYOFF, playoffs.read_playoff, name="read_playoff"),
    path(f"{PLAYOFF}/answers", playoffs.read_playoff_answers, name="read_playoff_answers"),
    path(f"{PLAYOFF}/moves", playoffs.move_playoff_view, name="move_playoff"),
    path(f"{PLAYOFF}/neutral", playoffs.seat_neutrals_view, name="seat_neutrals"),
    path(f"{PLAYOFF}/gone", playoffs.playoff_gone_view, name="playoff_gone"),
    path(f"{PLAYOFF}/extend", playoffs.extend_playoff_view, name="extend_playoff"),
    path(f"{PLAYOFF}/waive", playoffs.waive_playoff_view, name="waive_playoff"),
    path(f"{PLAYOFF}/answer", playoffs.answer_playoff_view, name="answer_playoff"),
]
