"""Who told the club a mail address, and by which personal link an invitation was made."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F, Q

from tournaments.migrations._add_columns import AddColumns


def note_origins(apps, schema_editor):
    """Rely on the addresses whose consent somebody of the club noted, alone or with a list."""
    contacts = apps.get_model('tournaments', 'Contact').objects.filter(consent_at__isnull=False)
    noted = contacts.filter(~Q(consent_as='') | Q(consent_by__isnull=False))
    noted.update(origin='club', origin_at=F('consent_at'))
    contacts.filter(origin_at=None).update(origin_at=F('consent_at'))


def note_links(apps, schema_editor):
    """Name the personal link of each invitation that its holder made by a confirmed mail.

    The pending ones end where the club does not vouch for the address of that mail.
    """
    names = ('AuditLine', 'Contact', 'Invitation', 'PersonalLink')
    audit, contacts, invitations, links = (apps.get_model('tournaments', name).objects for name in names)
    lines = audit.filter(actor='command:personal_link', act='invite')
    vouched = set(contacts.exclude(origin='link').values_list('player_id', flat=True))
    for line in lines.iterator():
        rows = invitations.filter(club=line.club_id, public_id__in=line.facts['invitations'])
        for row in rows:
            of_player = Q(player=row.player_id) | Q(player__merged_into=row.player_id)
            made_before = links.filter(of_player, made_at__lte=line.at)
            link = made_before.order_by('-made_at').first()
            row.personal_link_id = link.pk if link is not None else None
            is_pending = row.accepted_at is None and row.revoked_at is None
            if is_pending and row.player_id not in vouched:
                row.revoked_at = line.at
            row.save(update_fields=['personal_link', 'revoked_at'])


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0038_names_of_models'),
    ]

    operations = [
        AddColumns([
            migrations.AddField(
                model_name='contact',
                name='origin',
                field=models.CharField(choices=[('link', 'Came by the personal link'), ('club', 'Stored or confirmed by the club'), ('mailbox', 'Confirmed in the mailbox of the address before')], db_default='link', default='link', max_length=7),
            ),
            migrations.AddField(
                model_name='contact',
                name='origin_at',
                field=models.DateTimeField(blank=True, null=True),
            ),
            migrations.AddField(
                model_name='invitation',
                name='reviewed_at',
                field=models.DateTimeField(blank=True, null=True),
            ),
        ]),
        migrations.AddField(
            model_name='invitation',
            name='personal_link',
            field=models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='tournaments.personallink'),
        ),
        migrations.RunPython(note_origins, migrations.RunPython.noop, elidable=False),
        migrations.RunPython(note_links, migrations.RunPython.noop, elidable=False),
    ]
