"""Addresses of imports below `/api/v1/`."""

from django.urls import URLPattern, path

from api.openapi import together
from api.v1.addresses import CLUB, EVENT
from api.v1.imports import (
    enter_sheets,
    import_batches,
    import_columns,
    import_problems,
    import_upload,
)

urlpatterns: list[URLPattern] = [
    *import_batches.IMPORTS.paths(f"{EVENT}/imports", writes=import_upload.import_sheets),
    path(f"{EVENT}/imports/<number:number>", import_batches.read_import, name="read_import"),
    path(
        f"{EVENT}/imports/<number:number>/confirm",
        import_upload.confirm_import_view,
        name="confirm_import",
    ),
    path(
        f"{EVENT}/imports/<number:number>/discard",
        import_upload.discard_import_view,
        name="discard_import",
    ),
    path(
        f"{EVENT}/imports/<number:number>/undo", import_upload.undo_import_view, name="undo_import"
    ),
    path(
        f"{EVENT}/imports/<number:number>/again",
        import_upload.restart_import_view,
        name="restart_import",
    ),
    path(f"{EVENT}/sheets", enter_sheets.enter_sheets_view, name="enter_sheets"),
    path(f"{EVENT}/sheets.csv", import_batches.export_sheets, name="export_sheets_csv"),
    path(f"{EVENT}/sheets.xlsx", import_batches.export_sheets_xlsx, name="export_sheets_xlsx"),
    *import_batches.PROBLEMS.paths(f"{EVENT}/imports/<number:number>/problems"),
    path(
        f"{EVENT}/imports/<number:number>/problems/<number:position>",
        together(import_problems.read_import_problem, import_problems.resolve_import_problem),
        name="read_import_problem",
    ),
    path(
        f"{EVENT}/imports/<number:number>/problems/<number:position>/correct",
        import_problems.correct_import_problem_view,
        name="correct_import_problem",
    ),
    path(
        f"{EVENT}/imports/<number:number>/columns",
        together(import_columns.read_import_columns, import_columns.map_import_columns_view),
        name="read_import_columns",
    ),
    path(
        f"{EVENT}/imports/<number:number>/mapping",
        import_columns.store_mapping_view,
        name="store_mapping",
    ),
    *import_columns.MAPPINGS.paths(f"{CLUB}/mappings"),
    path(
        f"{CLUB}/mappings/<number:number>",
        import_columns.delete_mapping_view,
        name="delete_mapping",
    ),
    *import_batches.UNDONE_HANDS.paths(f"{EVENT}/imports/<number:number>/undone-hands"),
]
