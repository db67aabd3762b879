"""A real Slurm on one machine, and the model of the same site beside it, second by second (`make slurm`).

* `experiments`: what is run; `workload`: the jobs of an experiment
* `container`: where it may run; `daemons`: the programs; `conf`: their configuration; `cluster`: one Slurm, started,
  fed and stopped
* `recording`: what Slurm did, as files in a folder
* `model`: the same jobs under the policy `slurm`, on the site that `thinktime` imports out of these files
* `snapshots`: forecasts from the middle of a recording, beside what came
* `comparison`, `report`: both side by side; `command`: the command line

Slurm is that of Debian: ``apt-get install slurm-wlm slurmdbd munge mariadb-server``.
"""
