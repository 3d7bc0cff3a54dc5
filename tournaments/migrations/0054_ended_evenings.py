from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0053_hidden_parts_of_uploads'),
    ]

    operations = [
        migrations.AddField(
            model_name='meeting',
            name='ended_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='meeting',
            name='ended_by',
            field=models.CharField(blank=True, choices=[('person', 'Person'), ('hour', 'Hour'), ('noon', 'Noon')], db_default='', default='', max_length=8),
        ),
    ]
