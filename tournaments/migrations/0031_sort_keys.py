from django.db import migrations, models

from tournaments.migrations._add_columns import AddColumns


def sort_by_letters(apps, schema_editor):
    """Sort by the letters of the key on PostgreSQL too, whatever the locale of the database is."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            'ALTER TABLE tournaments_player ALTER COLUMN sort_key TYPE varchar(120) COLLATE "C"'
        )


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0030_people_without_accounts'),
    ]

    operations = [
        AddColumns([
            migrations.AddField(
                model_name='player',
                name='sort_key',
                field=models.CharField(db_default='', default='', editable=False, max_length=120),
            ),
        ]),
        migrations.RunPython(sort_by_letters, migrations.RunPython.noop, elidable=False),
        migrations.AddIndex(
            model_name='player',
            index=models.Index(fields=['club', 'sort_key', 'player_id'], name='player_by_sort_key'),
        ),
        migrations.RemoveIndex(
            model_name='player',
            name='player_by_name',
        ),
    ]
