"""Where it runs: the machine, its scheduler process, policies, results."""
