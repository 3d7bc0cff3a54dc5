"""Sentences about clubs: access, settings, members, players, archives and webhooks."""

from typing import Final

from django.utils.translation import gettext_noop as _

ACCESS: Final = {
    "forbidden": _("Your role in this club does not allow you to {act}."),
    "beyond_scope": _("This token only allows you to {scope}. It does not allow you to {act}."),
    "second_factor_needed": _(
        "You may {act} once your account has a second factor and this session or token comes with "
        "it. Open your account page (/account): add one, or show it. A token works when you make "
        "it anew there."
    ),
    "club_is_read_only": _(
        "This club is being deleted, so nobody can {act}. Undo the deletion in the club settings "
        "first."
    ),
    "link_opens_nothing": _("This link does not open a table. Ask the director for a new code."),
    "evening_code_opens_nothing": _(
        "This code opens no evening now. Compare it with your card. It works from noon of the day "
        "of an evening to noon of the next day, at the address that is printed beside it."
    ),
    "bad_link_time": _("A link cannot be valid for {found} hours. The maximum is {expected}."),
    "no_role": _("{user} has no role in {club}. Assign a role first, or leave out the club."),
    "unknown_token": _("There is no token with that id."),
    "bad_token_scope": _("{found} is not a scope. Use read, enter or manage."),
    "scope_too_wide": _("Your role allows tokens up to {expected}, not {found}."),
    "no_own_role": _("You have no role in {club}, so a token cannot be for this club."),
    "bad_token_time": _("A token must be valid for 1 to {expected} days, not {found}."),
    "unknown_setup_link": _(
        "This link does not work any more. Print a new one with {command} setup_link."
    ),
    "unknown_session": _("This session has ended, or it is the present one."),
    "setup_opens_nothing": _(
        "This set-up link does not work. Create a new one on the server with {command} setup_link."
    ),
    "accounts_exist": _("There are accounts already, so no set-up link is needed."),
}

CLUBS: Final = {
    "unknown_club": _("There is no club with that name here."),
    "unknown_logo": _("The club has no such logo."),
    "no_name": _("Enter a name with at least one visible letter, digit or symbol."),
    "contact_in_name": _(
        "“{found}” has an e-mail address or a telephone number. The public reads names: enter the "
        "name alone."
    ),
    "name_too_long": _("This name has {found} characters. The maximum is {expected}."),
    "no_slug": _(
        "This name cannot be turned into an address. Enter an address with lowercase letters a "
        "to z, digits and hyphens."
    ),
    "bad_language": _("{language} is not a language of this site."),
    "slug_taken": _("{slug} is already taken."),
    "bad_slug": _("{slug} cannot be used. Use lowercase letters, digits and hyphens."),
    "bad_colour": _(
        "“{found}” is not a colour. Enter # and six digits or letters a to f, for example #0a5167."
    ),
    "colour_too_light": _(
        "Text in the colour {found} has a contrast of {contrast}:1 on light pages. At least "
        "{expected}:1 is needed. Choose a darker colour."
    ),
    "bad_time_zone": _(
        "{zone} is not a time zone. Enter a time zone such as Europe/Berlin or UTC."
    ),
    "club_outdated": _(
        "The settings of the club have changed. Check the current settings, then change them."
    ),
    "export_needed": _(
        "Export the club’s data first. An export counts for {days} days, then export it again."
    ),
    "address_not_confirmed": _(
        "{found} is not the address of this club. Enter {expected} to confirm the deletion."
    ),
    "no_deletion": _("The deletion of this club has been undone already."),
    "deletion_begun": _("The deletion of this club has begun and cannot be undone any more."),
}

MEMBERS: Final = {
    "unknown_claim": _("There is no claim with that id in this club."),
    "not_a_member": _("This account is not a member of the club. Invite the person first."),
    "player_is_erased": _("{player} was erased and cannot have an account."),
    "player_is_merged": _("{player} was merged into {into}. Use {into}."),
    "player_is_linked": _("{player} is already linked to an account. Unlink that account first."),
    "account_is_linked": _(
        "This account is already linked to {player}. An account is one player of a club. Unlink "
        "{player} first."
    ),
    "claim_pending": _(
        "You have already asked to be linked to {player}. Withdraw that first, or wait for the "
        "answer."
    ),
    "claim_is_decided": _("This claim is {state} already."),
    "unknown_membership": _("There is no member with that id in this club."),
    "unknown_notification": _("There is no such kind of notification in a club of yours."),
    "notification_outdated": _(
        "The notification {kind} was changed meanwhile. Load it again, then change it."
    ),
    "unknown_mail": _("There is no mail with that number in this club."),
    "unknown_notice": _("There is no such notice. It may be about something that is over."),
    "mail_is_sent": _("This mail is sent already."),
    "club_has_owner": _(
        "This club has an owner already. Ask an owner to change your role on the page Members."
    ),
    "unknown_invitation": _("There is no pending invitation with that id in this club."),
    "owner_by_token": _(
        "A token makes nobody an owner, and takes that role from nobody. Sign in and do it on the "
        "page Members, or choose another role, up to director."
    ),
    "unknown_role": _("“{found}” is not a role. Use one of {expected}."),
    "owns_clubs_alone": _(
        "You are the last owner of {clubs}. Make somebody else an owner on the club’s page of "
        "members first, or delete the club."
    ),
    "last_owner": _("{user} is the last owner of this club. Make somebody else an owner first."),
    "member_outdated": _(
        "Somebody changed this member meanwhile. The role is {role} now. Load the member again."
    ),
    "bad_email": _(
        "“{found}” is not an e-mail address. Enter one address, such as ana@club.example."
    ),
    "consent_needed": _(
        "Tick that the person agreed to get mails at this address, or leave the address empty."
    ),
    "site_sends_no_mail": _(
        "This site sends no mail. A director hands out links and does what a mail would confirm."
    ),
    "nobody_to_mail": _(
        "Nobody here has both a personal link and a mail address. Create the link, or enter the "
        "address on the page of the player."
    ),
    "no_address": _(
        "The club has no mail address of yours that takes mails, so nothing can be confirmed. Ask "
        "a director."
    ),
    "address_by_link": _(
        "Your mail address came by your personal link. A director of the club confirms first that "
        "it is yours; until then it is used for mails only."
    ),
    "too_many_confirmations": _(
        "{expected} mails were asked for today to confirm something. Look for them, or try "
        "tomorrow."
    ),
    "address_outdated": _("Another address was entered meanwhile. Use the newest mail."),
    "invited_twice": _("{player} is in the list twice. Remove one of the lines."),
    "nobody_to_invite": _("There is nobody to invite. Enter one name on each line."),
    "name_not_decided": _(
        "“{found}” is not the name of one player. Choose which player it is, or that it is none."
    ),
    "too_many_invitations": _(
        "A club can create {expected} invitations within a minute. These {found} are too many now. "
        "Wait {seconds} seconds, or invite fewer people at once."
    ),
    "invitation_opens_nothing": _("This invitation does not work. Ask the club for a new one."),
}

PLAYERS: Final = {
    "unknown_player": _("There is no player with that id in this club."),
    "unknown_alias": _("This player has no such other name any more."),
    "unknown_merge": _("{player} is not merged into another player."),
    "merge_same_player": _("{player} cannot be merged with itself. Choose another player."),
    "merge_two_accounts": _(
        "{player} and {into} are linked to two different accounts. Unlink one of them first."
    ),
    "merge_same_round": _(
        "{player} and {into} both take part in round {round} of {event}, so they are two people. "
        "Correct the seating there first, if it is wrong."
    ),
    "merge_same_entrant": _(
        "{player} and {into} play together as {entrant} in {event}, so they are two people."
    ),
    "merge_two_entrants": _(
        "In {event}, {player} competes as {first} and {into} as {second}. A player competes once "
        "in an event. Change the members of the pair or team first."
    ),
    "merge_each_other": _(
        "{player} and {into} challenged each other in {event} (challenge {challenge}), so they are "
        "two people."
    ),
    "merge_open_challenges": _(
        "In {event}, challenges {first} and {second} are both open, and a player can have one of "
        "them. Resolve one first."
    ),
    "merge_same_playoff": _(
        "{player} and {into} both play in play-off {playoff} of {event}, so they are two people."
    ),
    "merge_in_use": _(
        "The merge of {player} into {into} cannot be undone: something has been added or changed "
        "since ({what} {event})."
    ),
    "erasure_not_confirmed": _(
        "You entered “{found}”. Enter the player's number {expected} to confirm."
    ),
    "erasure_asked": _("{player} has asked to be erased already. An owner of the club decides."),
    "unknown_erasure": _("{player} has not asked to be erased."),
    "erasure_pending": _(
        "{player} has asked to be erased. Erase the player or decline the request first."
    ),
    "line_without_name": _("Line {line} has only the id {player_id}. Add the name."),
    "line_too_long": _("Line {line}: the name has {found} characters. The maximum is {expected}."),
    "player_id_too_long": _(
        "Line {line}: the id has {found} characters. The maximum is {expected}."
    ),
    "player_id_of_another": _("Line {line}: the id {player_id} belongs to {who}."),
    "player_id_twice": _("Line {line}: the id {player_id} is already on line {other}: {who}."),
    "too_many_lines": _("The list has {found} lines. The maximum is {expected}."),
    "nobody_to_add": _("All players are already in the club. Enter at least one new name."),
    "list_changed": _("The names or the club's list have changed. Check the new preview."),
    "unknown_roster": _("This club has no pasted list with that number."),
    "player_id_not_usable": _(
        "The player id “{found}” cannot be used in an address. Use letters or digits."
    ),
    "number_too_long": _("This number has {found} characters. The maximum is {expected}."),
    "nickname_too_long": _("This nickname has {found} characters. The maximum is {expected}."),
    "nickname_taken": _(
        "“{found}” is already the name, nickname or number of {player}. Choose another nickname."
    ),
    "player_id_is_used": _(
        "{player} is entered in an event. Results and addresses use the number, so it cannot "
        "change."
    ),
    "player_outdated": _(
        "Somebody changed this player meanwhile. Check the current details, then change them."
    ),
    "bad_names_policy": _("Names cannot be shown as “{found}”. Choose one of these: {expected}."),
    "shown_as_is_own": _(
        "{player} has an account and chooses how their name is shown on the page “My name”."
    ),
    "player_id_taken": _("The player id {player_id} is already taken in this club."),
    "player_id_is_a_code": _(
        "The id {player_id} is already the code of a pair or team of “{event}”. Choose another "
        "player id."
    ),
    "nobody_of_that_name": _("“{found}” is not on the club's list of players."),
    "one_or_several_people": _(
        "“{found}” has a comma. Is this one person, or are these {n} people?"
    ),
    "likely_player": _(
        "“{found}” may be {like}. Say so with the tick, write the full name or the id, or add the "
        "new player first."
    ),
    "name_of_several": _("“{found}” matches several players. Choose one, or enter the id: {ids}."),
}

ARCHIVES: Final = {
    "not_an_archive": _(
        "This file is not an archive of a club. Choose the zip file that Export club or "
        "export_club wrote."
    ),
    "archive_newer": _(
        "A later release wrote this archive (format {found}). Upgrade this installation, then "
        "import the file again."
    ),
    "archive_damaged": _(
        "The archive is damaged: {file} is not as it was written. Export the club again, or copy "
        "the file again. Nothing was stored."
    ),
    "archive_unsafe_name": _(
        "The archive has a file with a name that no export writes: {file}. Nothing was stored."
    ),
    "archive_too_large": _(
        "The files in this archive are larger than an export writes. Nothing was stored."
    ),
    "archive_differs": _(
        "The totals of the event {event} do not follow from its hands. The archive was changed "
        "after the export. Nothing was stored."
    ),
    "archive_slug_taken": _(
        "{slug} is the address of another club here. Import the club under another address."
    ),
    "archive_file_too_large": _(
        "The file has {found} MB. The maximum is {expected} MB. Ask the administrator of this "
        "site, who imports larger files with import_club."
    ),
    "club_import_running": _(
        "Import {number} of your account is running. Wait until it is done, then upload the next "
        "file."
    ),
    "club_import_moved_on": _("Import {number} has changed. Check its current state."),
    "unknown_club_import": _("There is no import {number} of your account here."),
    "import_of_club_ended": _(
        "The import stopped for too long, and its rows are being removed. Import the file again."
    ),
    "merge_of_archive": _(
        "The merge of {player} into {into} was made before the club was imported, and cannot be "
        "undone here."
    ),
}

WEBHOOKS: Final = {
    "unknown_webhook": _("There is no webhook with that id in this club."),
    "unknown_delivery": _("There is no message with that id. Messages are kept for 30 days."),
    "bad_webhook_url": _(
        "“{found}” is not the address of a webhook. Enter an address that begins with https://, "
        "has no user name and no port but 443 or one above 1023, such as https://club.example/hook."
    ),
    "address_not_allowed": _(
        "{host} is a private address, this server itself, or a host that this site does not allow. "
        "Enter an address on the internet, or ask the administrator of the site."
    ),
    "bad_webhook_format": _(
        "“{found}” is not a format. Use standard, discord, slack, mattermost or telegram."
    ),
    "bad_webhook_kinds": _("Found: {found}. Choose one or more of: {expected}."),
    "kind_not_for_chat": _(
        "A chat is sent results, seating and challenges only. Found: {found}, expected: {expected}."
    ),
    "bad_webhook_state": _("“{found}” is not a state of a webhook. Use active or disabled."),
    "telegram_chat_needed": _(
        "The address names no chat. Add the id of the chat at its end, as in ?chat_id=-1001234567."
    ),
    "too_many_webhooks": _(
        "A club can have {expected} webhooks. Remove one that is not needed first."
    ),
    "webhook_outdated": _("Somebody changed this webhook meanwhile. Load it again."),
    "webhook_is_disabled": _("This webhook is disabled. Enable it first."),
}
