"""Transactions begin in `services/db`, in operations, and in the functions that are named here."""

import ast
from collections.abc import Iterator
from typing import Final

from tests.support.sources import ROOT

BEGINS: Final = {
    "a part of an operation that may be refused by a constraint, and goes on": (
        "clubs/player_paste.undo_roster",
        "events/events._insert_at_free_address",
        "events/events.enter_players",
        "events/events.entrant_for",
        "people/merge_entrants.lock_of_player",
        "playoffs/tables.add_round",
        "rounds/arrange_round._seat",
        "rounds/seating.store_sittings",
    ),
    "who came second is audited after the rollback": ("operations.__call__",),
    "the answer to a repeated request": (
        "audit/idempotency.claim_key",
        "audit/idempotency.store_answer_of",
    ),
    "a link or a token is the right, and nobody is signed in": (
        "access/table_links.make_setup_link",
        "access/table_links.use_setup_link",
        "access/tokens.note_token_use",
        "clubs/invitations.accept_as_new_account",
        "notices/notifications.unsubscribe",
        "people/addresses._confirm_own",
        "people/addresses.stop_address_change",
        "config/accounts/sign_in.confirm_email",
    ),
    "an account changes its own row, on a page of allauth": (
        "people/addresses.store_address_change",
    ),
    "a job publishes": (
        "boards.open_boards",
        "ladders/log.sync_log",
        "publishing/counted_anew._count_some",
        "publishing/counted_anew._mark",
        "publishing/evening_tables.mark_missing_evenings",
        "publishing/history._store",
        "publishing/ladders._store",
        "publishing/publications._create_rows",
        "publishing/publications._put_under_review",
        "publishing/publications._store",
        "publishing/reviews._ask",
        "publishing/schedule_playoffs._apply",
        "publishing/season_table._create_snapshots",
        "publishing/season_table._store",
        "publishing/publication_files._insert",
        "publishing/publication_files._store",
    ),
    "a job works in steps": (
        "archives/club_imports.note_checked",
        "archives/club_imports.note_not_begun",
        "archives/club_imports.note_refused",
        "archives/club_imports.remove_old_club_imports",
        "archives/store_club.begin_import",
        "archives/store_club.finish_import",
        "archives/store_club.mark_scopes",
        "clubs/personal_links._give_to_kept",
        "archives/store_club.store_later_column",
        "archives/store_club.store_rows",
        "clubs/deletion.remove_piece",
        "clubs/names._complete",
        "imports/batches.store_preview",
        "imports/undo._close",
        "imports/undo._empty",
        "imports/uploads.remove_old_uploads",
        "imports/uploads.request_columns",
        "imports/uploads.stop_upload",
        "imports/uploads.store_file",
        "jobs/queue.claim_import",
        "jobs/queue.record_failure",
        "people/compare_names._store_pairs",
        "publishing/packing._pack",
        "rounds/evenings.end_evenings_of_the_past",
        "outgoing.drop_old_messages",
        "outgoing.switch_outgoing",
        "webhooks/delivery.claim_delivery",
        "webhooks/delivery.finish_delivery",
        "tournaments/tasks.run_deadline_job",
    ),
    "a command computes stored numbers again, or makes the demo": (
        "publishing/packing.undo_packs",
        "verification/evenings._make_again",
        "verification/event._compare",
        "verification/event._lock_and_repair",
        "verification/event._verify_locked_totals",
        "verification/event.finish_recount",
        "verification/games._lock_rows",
        "verification/games.verify_locked_games",
        "demo.close_demo_event",
        "demo.plan_demo_evening",
        "demo.plan_demo_series",
        "demo.set_up_demo_challenges",
        "demo.set_up_demo_club",
        "demo.set_up_demo_event",
        "demo.set_up_demo_house_rules",
        "demo.set_up_sign_in",
        "demo.fill_demo_division",
        "demo.fill_in_demo_evening",
        "demo.make_demo_links",
        "demo.set_up_demo_season",
    ),
    "reads at one moment": ("tournaments/selectors/db/statements.snapshot_read",),
    "asks the database whether it works": (
        "config/health._write",
        "config/health.database_time_limit",
    ),
}
"""Why → the functions, below `tournaments/services` where no other folder is named."""
BEGINNINGS: Final = ("atomic", "transaction.atomic", "atomic_step")


def _beginnings() -> Iterator[str]:
    for folder in ("api", "config", "scoring", "tournaments"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            module = path.relative_to(ROOT).with_suffix("").as_posix()
            if "/migrations/" in module or module.startswith("tournaments/services/db/"):
                continue
            for function in _functions(ast.parse(path.read_text(encoding="utf-8"))):
                used = {ast.unparse(each) for node in ast.walk(function) for each in _used(node)}
                if not used.isdisjoint(BEGINNINGS):
                    yield f"{module.removeprefix('tournaments/services/')}.{function.name}"


def _functions(module: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in module.body:
        body = node.body if isinstance(node, ast.ClassDef) else [node]
        yield from (each for each in body if isinstance(each, ast.FunctionDef))


def _used(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.FunctionDef):
        yield from node.decorator_list
    if isinstance(node, ast.Call):
        yield node.func


def test_transactions_begin_in_operations_and_in_named_functions() -> None:
    named = sorted(function for functions in BEGINS.values() for function in functions)
    assert sorted(_beginnings()) == named
