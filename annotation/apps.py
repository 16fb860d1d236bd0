from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"
    verbose_name = "Records"

    def ready(self) -> None:
        from annotation.launch_lines import invitation_lines
        from studies.check_lines import FURTHER

        FURTHER.append(invitation_lines)
