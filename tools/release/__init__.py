"""What `make dist` and `make release` need beyond the shell."""
