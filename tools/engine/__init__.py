"""How the engine is compiled: every module with a ``.pxd`` file beside it, ahead of time, into one library.

`sources` (what is compiled, and what each module depends on), `worker` (one module to C, and C to an object),
`building` (all of them, at once and only if changed), `commands` (setuptools).
"""
