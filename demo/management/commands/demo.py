"""``manage.py demo``: bring the database up to date and make the demo study, once."""

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from accounts.models import User
from accounts.roles import researchers_group
from demo import PASSWORD, SLUG
from studies.models import Study


class Command(BaseCommand):
    help = "Make a small study that is half done, two accounts, scores and a first report."

    def handle(self, **options):
        call_command("migrate", verbosity=0)
        if Study.objects.filter(slug=SLUG).exists():
            return
        researcher = self._account("ana", "Ana")
        self._account("admin", "Admin", superuser=True)
        self._make_study(researcher)

    def _account(self, username: str, first_name: str, *, superuser: bool = False) -> User:
        user, made = User.objects.get_or_create(
            username=username,
            defaults={"first_name": first_name, "is_staff": True, "is_superuser": superuser},
        )
        if made:
            user.set_password(PASSWORD)
            user.save()
        user.groups.add(researchers_group())
        return user

    def _make_study(self, researcher: User) -> None:
        # Imported here: every later start needs none of it and is quicker without.
        from demo.study import build_demo, definition
        from scoring.runs import execute_run, request_run
        from scoring.snapshots import execute_report, request_report

        self.stdout.write("Drawing the demo's pictures and simulating its first ratings ...")
        with transaction.atomic():
            study = build_demo(owner=researcher)
        self.stdout.write("Scoring them with AHEaD and computing the report ...")
        tau = definition()["metrics"][0]["tau"]
        run = request_run(study=study, metric="ahead", parameters={"tau": tau}, by=researcher)
        execute_run(run_id=run.pk)
        run.refresh_from_db()
        if run.error:
            raise CommandError(f"Scoring failed: {run.error}")
        snapshot = request_report(study)
        execute_report(snapshot.pk)
        snapshot.refresh_from_db()
        if snapshot.error:
            raise CommandError(f"The report failed: {snapshot.error}")
