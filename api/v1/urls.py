"""Addresses of people, clubs, access, webhooks, events, stages and rules below `/api/v1/`."""

from django.urls import URLPattern, path

from api.openapi import together
from api.v1 import access, webhooks
from api.v1 import people as people_api
from api.v1.addresses import CLAIM, CLUB, EVENT, HOUSE, SEASON, TABLE, VERSION, WEBHOOK
from api.v1.clubs import audit, clubs, members, people, players
from api.v1.events import create_event, entrants, events, seasons, settings
from api.v1.rules import house_rules, variants
from api.v1.stages import bracket, stages

club_addresses: list[URLPattern] = [
    path("me", people_api.read_me, name="read_me"),
    *people_api.NOTIFICATIONS.paths("me/notifications"),
    path(
        "me/notifications/<name:club>/<name:kind>",
        together(people_api.read_notification, people_api.change_notification_view),
        name="read_notification",
    ),
    *audit.MAILS.paths(f"{CLUB}/mail"),
    path(f"{CLUB}/mail/<number:number>/send", audit.send_mail_again_view, name="send_mail_again"),
    path("search", clubs.search, name="search"),
    path(f"{CLUB}/search", clubs.search_club, name="search_club"),
    *clubs.CLUBS.paths("clubs", writes=clubs.create_club_view),
    path(CLUB, together(clubs.read_club, clubs.change_club_view), name="read_club"),
    path(
        f"{CLUB}/logo",
        together(clubs.remove_logo_view, clubs.set_logo_view),
        name="remove_logo",
    ),
    path(f"{CLUB}/export", clubs.export_club, name="export_club"),
    path(f"{CLUB}/delete", clubs.delete_club_view, name="delete_club"),
    path(f"{CLUB}/delete/undo", clubs.undo_delete_club_view, name="undo_delete_club"),
    *players.PLAYERS.paths(f"{CLUB}/players", writes=players.add_player_view),
    path(f"{CLUB}/rosters", people.add_roster_view, name="add_roster"),
    path(f"{CLUB}/rosters/<number:number>/undo", people.undo_roster_view, name="undo_roster"),
    path(
        f"{CLUB}/players/<name:player_id>",
        together(players.read_player, players.change_player),
        name="read_player",
    ),
    path(
        f"{CLUB}/players/<name:player_id>/link",
        together(members.read_player_link, members.link_player_view),
        name="read_player_link",
    ),
    path(f"{CLUB}/players/<name:player_id>/claim", members.claim_player_view, name="claim_player"),
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
    *members.CLAIMS.paths(f"{CLUB}/claims"),
    path(f"{CLAIM}/confirm", members.confirm_claim_view, name="confirm_claim"),
    path(f"{CLAIM}/reject", members.reject_claim_view, name="reject_claim"),
    path(f"{CLAIM}/withdraw", members.withdraw_claim_view, name="withdraw_claim"),
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
    *access.TOKENS.paths("tokens", writes=access.create_token_view),
    path("tokens/<name:token>", access.revoke_token_view, name="revoke_token"),
    *access.CLUB_TOKENS.paths(f"{CLUB}/tokens"),
    path(f"{CLUB}/tokens/<name:token>", access.revoke_club_token_view, name="revoke_club_token"),
    *access.LINKS.paths(f"{EVENT}/links", writes=access.create_link_view),
    path(f"{EVENT}/links/revoke", access.revoke_links_view, name="revoke_links"),
    path(f"{EVENT}/links/<name:code>", access.revoke_link_view, name="revoke_link"),
    path(
        f"{EVENT}/rounds/<number:number>/links",
        access.create_round_links_view,
        name="create_round_links",
    ),
    path(
        f"{EVENT}/rounds/<number:number>/links/revoke",
        access.revoke_round_links_view,
        name="revoke_round_links",
    ),
    *webhooks.WEBHOOKS.paths(f"{CLUB}/webhooks", writes=webhooks.create_webhook_view),
    path(
        WEBHOOK,
        together(webhooks.read_webhook, webhooks.change_webhook_view, webhooks.remove_webhook_view),
        name="read_webhook",
    ),
    path(f"{WEBHOOK}/rotate", webhooks.rotate_webhook_secret_view, name="rotate_webhook_secret"),
    path(f"{WEBHOOK}/test", webhooks.test_webhook_view, name="test_webhook"),
    *webhooks.DELIVERIES.paths(f"{WEBHOOK}/deliveries"),
    path(
        f"{WEBHOOK}/deliveries/<name:delivery>/repeat",
        webhooks.repeat_delivery_view,
        name="repeat_delivery",
    ),
    *seasons.SEASONS.paths(f"{CLUB}/seasons", writes=seasons.create_season_view),
    path(SEASON, together(seasons.read_season, seasons.change_season_view), name="read_season"),
    path(f"{SEASON}/retry", seasons.retry_season_view, name="retry_season"),
    path(f"{SEASON}/standings", seasons.read_season_standings, name="read_season_standings"),
    path(
        f"{SEASON}/standings.csv",
        seasons.read_season_standings_csv,
        name="read_season_standings_csv",
    ),
    path(
        f"{SEASON}/publications/<number:number>",
        seasons.read_season_publication,
        name="read_season_publication",
    ),
    path(
        f"{SEASON}/publications/<number:number>.csv",
        seasons.read_season_publication_csv,
        name="read_season_publication_csv",
    ),
    *events.EVENTS.paths(f"{CLUB}/events", writes=create_event.create_event_view),
    path(
        EVENT,
        together(events.read_event, events.change_event_view, events.delete_event_view),
        name="read_event",
    ),
    path(f"{EVENT}/state", events.move_event_view, name="move_event"),
    path(f"{EVENT}/use-version", events.use_house_version_view, name="use_house_version"),
    path(f"{EVENT}/copy", create_event.copy_event_view, name="copy_event"),
    path(f"{EVENT}/archive", events.archive_event_view, name="archive_event"),
    path(f"{EVENT}/unarchive", events.unarchive_event_view, name="unarchive_event"),
    path(
        f"{EVENT}/settings",
        together(settings.read_settings, settings.change_settings_view),
        name="read_settings",
    ),
    *entrants.ENTRANTS.paths(f"{EVENT}/entrants", writes=entrants.add_entrant_view),
    path(f"{EVENT}/entrants/<name:entrant>", entrants.change_entrant_view, name="change_entrant"),
    path(f"{EVENT}/entrants/<name:entrant>/state", entrants.move_entrant_view, name="move_entrant"),
    path(f"{EVENT}/rosters", entrants.add_entrants_view, name="add_entrants"),
    *entrants.LEDGER.paths(f"{EVENT}/ledger", writes=entrants.add_ledger_line),
    path(
        f"{EVENT}/ledger/<number:number>/withdraw",
        entrants.withdraw_ledger_line,
        name="withdraw_ledger_line",
    ),
    *settings.CHANGES.paths(f"{EVENT}/changes"),
    *events.JOBS.paths(f"{EVENT}/jobs"),
    path(f"{EVENT}/jobs/retry", events.retry_jobs_view, name="retry_jobs"),
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
    *house_rules.HOUSE_RULES.paths(f"{CLUB}/variants", writes=house_rules.make_house_rules_view),
    path(HOUSE, house_rules.read_house_rules, name="read_house_rules"),
    path(f"{HOUSE}/archive", house_rules.archive_house_rules_view, name="archive_house_rules"),
    path(
        f"{HOUSE}/unarchive", house_rules.unarchive_house_rules_view, name="unarchive_house_rules"
    ),
    path(
        f"{HOUSE}/entry-schema", house_rules.read_house_entry_schema, name="read_house_entry_schema"
    ),
    *house_rules.VERSIONS.paths(f"{HOUSE}/versions", writes=house_rules.add_house_version_view),
    path(
        VERSION,
        together(house_rules.read_house_version, house_rules.delete_house_version_view),
        name="read_house_version",
    ),
    path(f"{VERSION}.toml", house_rules.read_house_version_toml, name="read_house_version_toml"),
    path(
        f"{VERSION}/entry-schema",
        house_rules.read_house_version_entry_schema,
        name="read_house_version_entry_schema",
    ),
    *variants.VARIANTS.paths("variants"),
    path("variants/<name:variant>", variants.read_variant, name="read_variant"),
    path("variants/<name:variant>/card", variants.read_rules_card, name="read_rules_card"),
    path(
        "variants/<name:variant>/entry-schema", variants.read_entry_schema, name="read_entry_schema"
    ),
    path("score", variants.score, name="score"),
]
