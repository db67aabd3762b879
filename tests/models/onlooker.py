"""An observer for the sake of it: with one a machine does not leap, and every instant is one."""


class Onlooker:
    """An observer who looks at nothing."""

    def before_submissions(self, *_: object) -> None: ...
