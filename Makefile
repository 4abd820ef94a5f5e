# Everything that a developer or CI does with this project. `make` alone lists the targets.
#
# Set-up is done by stamps: a step runs again only when what it is made from has changed.

PY := .venv/bin/python
FUNSHARE := .venv/bin/funshare
MVN := mvn --quiet --batch-mode -Dstyle.color=never
MODULES := kernel nexmark workload-udf
JARS := $(foreach m,$(MODULES),jobs/$(m)/target/funshare-$(m).jar)
# Maven would write terminal codes into logs even when asked for no colour.
export MAVEN_OPTS := $(MAVEN_OPTS) -Djansi.noreset=true
BESIDE_THE_PACKAGE := tests tools docs examples benchmarks

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help prerequisites setup demo up down test test-java test-unit test-planner test-integration
.PHONY: bench-brain bench-estimates figures equivalence-long check format docs clean

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' Makefile

prerequisites: ## Say in one line each what must be installed: Java 17+ (JDK), Maven, Python 3.11.
	@tools/prerequisites.sh

setup: prerequisites .venv/.installed $(JARS) .funshare/.fetched ## Virtual environment, kernel and other jars, Kafka connector and broker.

# Prerequisites after a bar are asked for first but make nothing out of date.
.venv/.installed: pyproject.toml | prerequisites
	@echo "setup: Python packages into .venv (minutes the first time)"
	@.venv/bin/python -c '' 2>/dev/null || "$$(tools/prerequisites.sh --python)" -m venv --clear .venv
	@$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

.funshare/.fetched: funshare_flink/embedded/artifacts.py | .venv/.installed
	@echo "setup: Kafka connector and broker jars into .funshare"
	@$(PY) tools/fetch_artifacts.py
	@touch $@

# Maven leaves a jar alone when its content would not change, hence the touch.
define jar_rule
jobs/$(1)/target/funshare-$(1).jar: $$(shell find jobs/$(1)/pom.xml jobs/$(1)/src/main) | prerequisites
	@echo "setup: jobs/$(1)"
	@$$(MVN) -f jobs/$(1)/pom.xml -DskipTests package
	@touch $$@
endef
$(foreach m,$(MODULES),$(eval $(call jar_rule,$(m))))

demo: setup ## Sixteen queries alone, then in one group, on the same input; ARGS="--keep" and the like.
	@$(FUNSHARE) demo $(ARGS)

up: setup ## Start the embedded Flink cluster and Kafka broker; ARGS="--kafka-port 9092" and the like.
	@$(FUNSHARE) up $(ARGS)

down: ## Stop the embedded cluster and remove its state.
	@if [ -x $(FUNSHARE) ]; then $(FUNSHARE) down $(ARGS); fi

test: setup test-java ## All tests: Java modules, unit, planner, integration, a sample of the equivalence suite.
	@$(PY) -m pytest $(ARGS)

test-java: prerequisites ## The Java modules' tests.
	@for m in $(MODULES); do echo "test: jobs/$$m"; $(MVN) -f jobs/$$m/pom.xml test || exit 1; done

test-unit: setup ## Tests that need neither Flink's planner nor a cluster.
	@$(PY) -m pytest -m "not planner and not integration" $(ARGS)

test-planner: setup ## Tests with Flink's planner in the process.
	@$(PY) -m pytest -m planner $(ARGS)

test-integration: setup ## Tests on the embedded cluster.
	@$(PY) -m pytest -m integration $(ARGS)

equivalence-long: setup ## The equivalence suite with many more random workloads (hours).
	@FUNSHARE_EQUIVALENCE=long $(PY) -m pytest tests/equivalence $(ARGS)

bench-brain: setup ## How long a merge step takes, from 64 to 10,240 queries.
	@$(PY) -m benchmarks.brain_speed $(ARGS)

bench-estimates: setup ## Estimates from a 2 % sample against exact counts.
	@$(PY) -m benchmarks.estimates $(ARGS)

figures: setup ## The paper's figures on the simulated cluster; writes docs/figures.md.
	@$(PY) docs/make_figures.py --date "$$(date +%F)" --machine "$${MACHINE:-$$(nproc) cores}" $(ARGS)

check: setup ## Style, types, import contracts, generated documents, Java format.
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) -m mypy --explicit-package-bases $(BESIDE_THE_PACKAGE)
	.venv/bin/lint-imports
	$(PY) docs/make_settings.py --check
	$(MVN) -f jobs/kernel/pom.xml spotless:check

format: setup ## Format Python and Java.
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .
	$(MVN) -f jobs/kernel/pom.xml spotless:apply

docs: setup ## Write the generated documents anew.
	$(PY) docs/make_settings.py

clean: down ## Stop the embedded cluster and remove everything that was built, fetched or cached.
	rm -rf .venv .funshare build dist *.egg-info $(foreach m,$(MODULES),jobs/$(m)/target)
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .benchmarks
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
