"""Addresses of stages below `/api/v1/`."""

from django.urls import URLPattern, path

from api.openapi import together
from api.v1.addresses import EVENT, TABLE
from api.v1.stages import bracket, stages

urlpatterns: list[URLPattern] = [
    *stages.STAGES.paths(f"{EVENT}/stages", writes=stages.make_cut_view),
    path(
        f"{EVENT}/stages/<number:number>",
        together(stages.read_stage, stages.change_stage_view, stages.remove_stage_view),
        name="read_stage",
    ),
    path(
        f"{EVENT}/stages/<number:number>/standings",
        stages.read_stage_standings,
        name="read_stage_standings",
    ),
    path(f"{EVENT}/stages/<number:number>/bracket", bracket.read_bracket, name="read_bracket"),
    path(f"{EVENT}/stages/<number:number>/begin", stages.begin_stage_view, name="begin_stage"),
    path(f"{EVENT}/stages/<number:number>/undo", stages.undo_cut_view, name="undo_cut"),
    path(f"{EVENT}/stages/<number:number>/answer", stages.answer_cut_view, name="answer_cut"),
    path(
        f"{EVENT}/stages/<number:number>/answers", stages.read_cut_answers, name="read_cut_answers"
    ),
    path(f"{TABLE}/walk-overs", bracket.record_walk_over_view, name="record_walk_over"),
]
