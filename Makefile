# `make` alone lists the targets. Everything is installed into .venv, from the current tree.
#
# The install is a strict editable one: a tree of links in build/, which mypy and import-linter can read and
# which shows every edit at once. build/installed holds the folder and the list of files that the links were
# made from; when one of them or the configuration changes, the links are made anew. The compiled engine lies in
# api/_compiled; it is compiled again as far as files that it was made from have changed.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-thorough lint lint-types lint-rest docs notebooks dist try-wheel release bench slurm install install-dev install-docs install-release clean FORCE

VENV := .venv
PYTHON := $(VENV)/bin/python
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(PYTHON) -m pip --quiet --no-input
# pip compiles all files of all libraries to bytecode: two thirds of what it spends on that are for their tests, and for
# what runs compiled, once, or not at all. Several processes of tests find the package's own as bytecode, too.
SPARED := /(tests|pip|mypy|mypyc|debugpy|fontTools|lexers|Cython|setuptools|narwhals|virtualenv|bokeh|IPython|prompt_toolkit|jedi|wcwidth|zmq)/
BYTECODE := $(PYTHON) -m compileall -qq -x '$(SPARED)' $(VENV)/lib build/__editable__* || true
PYTEST := $(PYTHON) -m pytest -q -n auto --maxprocesses=8 --dist=worksteal
CONFIG := setup.cfg pyproject.toml setup.py

ROOMS := api analysis models users workloads
SOURCES := $(shell find $(ROOMS) -path api/_compiled -prune -o \( -name '*.py' -o -name py.typed -o -name '*.html' -o -name '*.css' -o -name '*.js' -o -name '*.csv' -o -name '*.json' -o -name '*.toml' -o -name '*.txt' -o -name '*.pyi' -o -name '*.sql' -o -name '*.pxd' \) -print | LC_ALL=C sort)
COMPILED := api/_compiled/engine.json
FINGERPRINT := $(CURDIR) $(SOURCES)
INSTALLED := $(shell cat build/installed 2>/dev/null)

# An interpreter that was removed or updated leaves a .venv that does not run.
RUNS := $(shell $(PYTHON) -c 'print("yes")' 2>/dev/null)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# What the demo takes as plain Python, compiling would take several times.
demo: build/installed ## install into .venv and run the demo: two tables within a minute, and two pictures
	$(VENV)/bin/thinktime demo

# Tests start many processes, which need not compile every module anew, whatever the environment says.
test test-thorough: export PYTHONDONTWRITEBYTECODE =
# Several processes, each with threads of linear algebra for all cores, wait for each other.
test test-thorough: export OMP_NUM_THREADS = 1

# pytest makes each assertion explain itself, which takes some seconds in a new tree: only those that fail do.
test: lint ## install, then ruff, mypy, the layering and the tests
	$(PYTEST) --assert=plain -m "not thorough" || { $(PYTEST) --last-failed --last-failed-no-failures=none -m "not thorough"; exit 1; }

test-thorough: install-dev ## more of the same, at length, and all tests as plain Python and with indices checked
	$(PYTEST) -m thorough
	THINKTIME_PLAIN=1 $(PYTEST) -m "not thorough"
	THINKTIME_BOUNDS=1 $(PYTHON) -m tools.engine
	THINKTIME_BOUNDS=1 $(PYTEST) -m "not thorough"

lint: install-dev ## ruff (format too), mypy --strict, untyped compiled code, the rooms' direction and size
	@$(MAKE) --no-print-directory -j2 lint-types lint-rest

# Much of mypy is done by one process, beside which there is a core for the others.
lint-types:
	$(PYTHON) -m mypy --num-workers 2 -p thinktime -p tools.docs -p tools.engine -p tools.release -p tools.slurm -m tools.house

lint-rest:
	$(PYTHON) -m ruff check --quiet --output-format=concise .
	$(PYTHON) -m ruff format --quiet --check . || { echo "Not formatted: run $(VENV)/bin/ruff format ." >&2; exit 1; }
	$(PYTHON) -m tools.engine --hints
	@$(VENV)/bin/lint-imports --no-cache > build/layers.txt || { cat build/layers.txt; exit 1; }
	@$(PYTHON) -m tools.house

docs: install-docs ## build the site into build/site; warnings, dead links and too many words are errors
	$(PYTHON) -m sphinx -E -W --keep-going -q -b html -d build/site/doctrees docs build/site/html
	$(PYTHON) -m tools.docs.links build/site/html
	$(PYTHON) -m tools.docs.words

# The wheel is built from the sdist.
dist: install-release ## build what is committed into dist/, and try it in an empty environment
	rm -rf dist build/release && mkdir -p build/release/tree
	git archive HEAD | tar -x -C build/release/tree
	@echo "Building the sdist, and from it the wheel (some minutes; build/release/build.txt) ..."
	$(PYTHON) -m build --no-isolation --outdir dist build/release/tree > build/release/build.txt
	$(PYTHON) -m twine check --strict dist/*
	$(PYTHON) -m venv build/release/empty
	PIP_DISABLE_PIP_VERSION_CHECK=1 build/release/empty/bin/python -m pip install --quiet dist/*.whl
	$(MAKE) --no-print-directory -C build/release/tree try-wheel PYTHON=../empty/bin/python

# Tests of a wheel that is installed beside $(PYTHON): they know the package only as users do.
WHEEL_TESTS := tests/workloads/swf tests/models/machine/test_machine.py tests/models/policies/test_own_policies.py tests/users/test_run.py

try-wheel:
	@mkdir -p build
	$(PYTHON) -m thinktime --version | grep -F '(compiled)'
	$(PYTHON) -m thinktime demo --quiet --out build/demo
	$(PYTHON) -m thinktime generate lublin --jobs 2000 --processors 64 --seed 1 -o build/made.swf
	$(PYTHON) -m thinktime replay build/made.swf --policy easy --policy conservative --quiet
	$(PIP) install hypothesis pytest pytest-xdist
	$(PYTHON) -m pytest -q -m "not thorough" $(WHEEL_TESTS)

notebooks: install-docs ## run the notebooks of docs/tutorials, and write them as .ipynb into build/notebooks
	$(PYTHON) -m tools.docs.notebooks build/notebooks

# Python 3.11 is the lowest, too.
LOWEST := build/release/lowest/bin
LOWEST_TESTS := tests/package/test_front_door.py tests/workloads/swf tests/models/results tests/models/machine/test_machine.py \
    tests/models/policies/test_own_policies.py tests/models/policies/test_spec.py tests/users/test_run.py \
    tests/analysis/experiments/test_metrics.py tests/analysis/experiments/test_store.py tests/analysis/pictures \
    tests/analysis/statistics tests/analysis/view tests/analysis/gym

release: dist notebooks ## make dist and notebooks, then tests and a replay with the lowest versions in setup.cfg
	$(PYTHON) -m tools.release.lowest > build/release/lowest.txt
	python3.11 -m venv build/release/lowest
	PIP_DISABLE_PIP_VERSION_CHECK=1 $(LOWEST)/python -m pip install --quiet --constraint build/release/lowest.txt \
	    "$$(ls dist/*.whl)[cluster,gym,parquet,view]" hypothesis pytest pytest-xdist
	cd build/release/tree && ../lowest/bin/python -m pytest -q -n auto --maxprocesses=8 --dist=worksteal \
	    -m "not thorough" $(LOWEST_TESTS)
	cd build/release && lowest/bin/thinktime demo --quiet
	$(LOWEST)/thinktime replay build/release/tree/build/made.swf --policy easy --policy conservative --quiet

bench: install ## measure the speed, in ten minutes; THINKTIME_TRACES names the folder of logs
	$(PYTHON) benchmarks/run.py

slurm: install ## experiments on a real Slurm, beside the model (half an hour; as root in a container)
	$(PYTHON) -m tools.slurm

install: ## make .venv and install the package from the current tree
install-dev: ## the same with the tools that the tests need
install-release: ## the same with what builds and checks a release
install-docs: ## the same with what builds the documentation

# pip keeps one core busy: the engine is compiled meanwhile.
install install-dev install-release install-docs:
	@$(MAKE) --silent --no-print-directory -j2 $(COMPILED) build/$(subst install,installed,$@)

clean: ## remove .venv, build/ and every cache
	rm -rf $(VENV) build dist api/_compiled thinktime.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is written last, so an install that was interrupted is done again.
$(VENV)/ready: $(if $(RUNS),,FORCE)
	@set -e; found=; \
	for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	    if $$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	    then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	    echo "thinktime needs Python 3.11 or newer with its venv module, and no python3 on the PATH is one." >&2; \
	    exit 1; \
	fi; \
	echo "Making $(VENV) with $$($$found --version) ..."; \
	rm -rf $(VENV); $$found -m venv $(VENV); \
	touch $@

# The pip that comes with an old Python takes twice as long to choose what to install.
$(VENV)/tools: pyproject.toml $(VENV)/ready
	@echo "Installing what compiles the engine into $(VENV) ..."
	@$(PIP) install --no-compile 'pip>=25' 'setuptools>=77' 'Cython>=3.1'
	@touch $@

ifneq ($(strip $(INSTALLED)),$(strip $(FINGERPRINT)))
build/installed: FORCE
endif
build/installed: $(CONFIG) $(VENV)/tools
	@echo "Installing thinktime into $(VENV) (the first time, this takes a minute or two) ..."
	@mkdir -p build && find build -mindepth 1 -maxdepth 1 ! -name engine -exec rm -rf {} +
	@rm -rf thinktime.egg-info
	@THINKTIME_PLAIN=1 $(PIP) install --no-compile --no-build-isolation --config-settings editable_mode=strict --editable .
	@$(BYTECODE)
	@echo '$(FINGERPRINT)' > $@

# It looks for itself what has changed, and whether what is there fits this Python: half a second.
$(COMPILED): $(VENV)/tools FORCE
	@$(PYTHON) -m tools.engine

# The package is there already, so pip adds only what the extra names.
build/installed-dev: build/installed
	@echo "Installing the development tools into $(VENV) ..."
	@$(PIP) install --no-compile 'thinktime[dev]'
	@$(BYTECODE)
	@touch $@

build/installed-docs: build/installed
	@echo "Installing what builds the documentation into $(VENV) ..."
	@$(PIP) install --no-compile 'thinktime[docs]'
	@$(BYTECODE)
	@touch $@

build/installed-release: build/installed
	@echo "Installing what builds a release into $(VENV) ..."
	@$(PIP) install --no-compile 'thinktime[release]'
	@$(BYTECODE)
	@touch $@

FORCE:
