"""Sites that are imported from texts of files."""

from collections.abc import Callable
from pathlib import Path

from thinktime.models.site.slurm.importing import Imported, SlurmFiles, import_site

Make = Callable[..., Imported]
GB = 2**30
NODES = "NodeName=n[1-4] CPUs=8 RealMemory=4000\n"
PLAIN = "ClusterName=saturn SelectType=select/linear PriorityType=priority/basic\n" + NODES
PARTITION = "PartitionName=main Nodes=ALL Default=YES MaxTime=1-0\n"
QOS = (
    "Name|Priority|GraceTime|Preempt|PreemptMode|Flags|UsageFactor|GrpTRESMins|MaxTRES|MaxWall|MaxTRESPU|MaxSubmitPU\n"
)
TREE = "Cluster|Account|User|Share|GrpTRESMins|MaxJobs|MaxWall|QOS|Def QOS\n"


def site_maker(folder: Path) -> Make:
    """What imports a site whose files have the texts that are given, and lie in a folder."""

    def imported(conf: str = PLAIN + PARTITION, **texts: str) -> Imported:
        paths = {}
        for name, text in {"slurm.conf": conf, **texts}.items():
            paths[name] = folder / name
            paths[name].write_text(text)
        confs = [paths.pop("slurm.conf")]
        return import_site(SlurmFiles(confs, **paths))  # type: ignore[arg-type]

    return imported


def noted(found: Imported) -> list[str]:
    return [f"{where}: {what}" for where, what in found.notes]
