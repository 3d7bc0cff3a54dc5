from django.db import migrations, models

from tournaments.migrations._add_columns import AddColumns


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0048_result_notes'),
    ]

    operations = [
        AddColumns([
            migrations.AddField(
                model_name='game',
                name='moves',
                field=models.PositiveIntegerField(db_default=0, default=0),
            ),
        ]),
    ]
