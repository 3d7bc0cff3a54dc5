from django.db import migrations, models

from tournaments.migrations._add_columns import AddColumns


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0057_evening_of_ledger_lines'),
    ]

    operations = [
        AddColumns([
            migrations.AddField(
                model_name='contribution',
                name='of_hands',
                field=models.PositiveSmallIntegerField(db_default=0, default=0),
            ),
            migrations.AddField(
                model_name='entrant',
                name='guest',
                field=models.BooleanField(db_default=False, default=False),
            ),
        ]),
    ]
