"""What a machine counts: its processors, those in use, and the jobs that are over."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thinktime.models.jobs.pool import Pool
    from thinktime.models.machine.scheduler import Scheduler


class Counting:
    """The part of a machine that counts."""

    pool: Pool
    scheduler: Scheduler

    @property
    def capacity(self) -> int:
        """Processors of the machine."""
        return self.pool.processors

    @property
    def count(self) -> int:
        """Processors in use now."""
        self.scheduler.settle()
        return self.pool.processors - self.pool.idle

    @property
    def over(self) -> int:
        """The number of jobs that are over, however they ended."""
        self.scheduler.settle()
        return self.scheduler.over
