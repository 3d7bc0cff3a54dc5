import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0056_owners_of_publications'),
    ]

    operations = [
        migrations.AddField(
            model_name='ledgerline',
            name='meeting',
            field=models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='ledger_lines', to='tournaments.meeting'),
        ),
    ]
