from django.db import migrations, models

from tournaments.migrations._add_columns import AddColumns


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0011_duplicate'),
    ]

    operations = [
        AddColumns([
            migrations.AddField(
                model_name='stage',
                name='seeding',
                field=models.CharField(choices=[('standings', 'Standings'), ('ladder', 'Ladder'), ('lot', 'Lot')], db_default='standings', default='standings', max_length=9),
            ),
        ]),
    ]
