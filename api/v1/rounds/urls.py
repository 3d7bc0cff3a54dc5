"""Addresses of rounds below `/api/v1/`."""

from django.urls import URLPattern, path

from api.openapi import together
from api.v1.addresses import EVENT, HAND, TABLE, VERSION
from api.v1.rounds import (
    attendance,
    change_tables,
    meetings,
    seat_rounds,
    seating_constraints,
    seating_plans,
    sheets,
    tables,
)

urlpatterns: list[URLPattern] = [
    *seating_plans.PLANS.paths(
        f"{EVENT}/meetings/<name:day>/plans", writes=seating_plans.make_plans_view
    ),
    path(f"{EVENT}/meetings/<name:day>/tables", change_tables.form_tables_view, name="form_tables"),
    path(f"{EVENT}/plans/<name:plan>", seating_plans.read_plan, name="read_plan"),
    path(f"{EVENT}/plans/<name:plan>/choose", seating_plans.choose_plan_view, name="choose_plan"),
    path(
        f"{EVENT}/plans/<name:plan>/take", seating_plans.take_best_plan_view, name="take_best_plan"
    ),
    *seating_constraints.CONSTRAINTS.paths(
        f"{EVENT}/constraints", writes=seating_constraints.add_constraint_view
    ),
    path(
        f"{EVENT}/constraints/<name:constraint>",
        seating_constraints.remove_constraint_view,
        name="remove_constraint",
    ),
    path(
        f"{EVENT}/rounds/<number:number>/seating-list.pdf",
        sheets.print_seating_list,
        name="print_seating_list",
    ),
    path(
        f"{EVENT}/rounds/<number:number>/table-cards.pdf",
        sheets.print_table_cards,
        name="print_table_cards",
    ),
    path(
        f"{EVENT}/rounds/<number:number>/score-sheets.pdf",
        sheets.print_score_sheets,
        name="print_score_sheets",
    ),
    *meetings.MEETINGS.paths(f"{EVENT}/meetings", writes=meetings.plan_meeting_view),
    path(
        f"{EVENT}/meetings/<name:day>",
        together(meetings.read_meeting, meetings.change_meeting_view, meetings.remove_meeting_view),
        name="read_meeting",
    ),
    *attendance.ATTENDANCE.paths(
        f"{EVENT}/meetings/<name:day>/attendance", writes=attendance.add_guest_view
    ),
    path(
        f"{EVENT}/meetings/<name:day>/attendance/<name:player_id>",
        attendance.set_attendance_view,
        name="set_attendance",
    ),
    *meetings.ROUNDS.paths(f"{EVENT}/rounds", writes=seat_rounds.make_round_view),
    path(
        f"{EVENT}/rounds/<number:number>",
        together(meetings.read_round, change_tables.remove_round_view),
        name="read_round",
    ),
    path(
        f"{EVENT}/rounds/<number:number>/tables", change_tables.seat_table_view, name="seat_table"
    ),
    path(
        f"{EVENT}/rounds/<number:number>/close-tables",
        seat_rounds.close_tables_view,
        name="close_tables",
    ),
    path(
        f"{EVENT}/rounds/<number:number>/sit-outs", seat_rounds.add_sit_out_view, name="add_sit_out"
    ),
    path(
        f"{EVENT}/rounds/<number:number>/sit-outs/<name:entrant>",
        seat_rounds.remove_sit_out_view,
        name="remove_sit_out",
    ),
    path(f"{EVENT}/rounds/<number:number>/state", seat_rounds.move_round_view, name="move_round"),
    path(
        f"{EVENT}/rounds/<number:number>/game",
        seat_rounds.change_round_game_view,
        name="change_round_game",
    ),
    path(
        f"{EVENT}/rounds/<number:number>/redraw", seat_rounds.redraw_round_view, name="redraw_round"
    ),
    path(f"{EVENT}/rounds/<number:number>/extend", meetings.extend_round_view, name="extend_round"),
    path(TABLE, together(tables.read_table, change_tables.remove_table_view), name="read_table"),
    path(f"{TABLE}/state", change_tables.move_table_view, name="move_table"),
    path(f"{TABLE}/seating", change_tables.reseat_table_view, name="reseat_table"),
    path(f"{TABLE}/restore", tables.restore_table_view, name="restore_table"),
    path(
        f"{TABLE}/sheet-check",
        together(sheets.read_sheet_check, sheets.check_sheet_view),
        name="read_sheet_check",
    ),
    *sheets.PHOTOS.paths(f"{TABLE}/photos", writes=sheets.add_photo_view),
    path(f"{TABLE}/photos/<number:number>.jpg", sheets.read_photo, name="read_photo"),
    path(f"{TABLE}/photos/<number:number>", sheets.remove_photo_view, name="remove_photo"),
    *tables.REVISIONS.paths(f"{HAND}/revisions"),
    path(
        f"{VERSION}/score-sheet.pdf", sheets.print_house_blank_sheet, name="print_house_blank_sheet"
    ),
    path(
        "variants/<name:variant>/score-sheet.pdf",
        sheets.print_blank_sheet,
        name="print_blank_sheet",
    ),
]
