# What people and CI type. Every target first sets up what it needs and finds missing (scripts/setup.sh).
# Owns no build logic: that is Cargo's.
.POSIX:
.PHONY: help demo build figures test test-slurm test-snakemake fuzz check bench setup-build setup-test

# One profile for all, so that each dependency is compiled once. PROFILE=dev also checks for overflow.
PROFILE = release
CARGO = cargo
PROGRAM = $${CARGO_TARGET_DIR:-target}/release/queuefarm
# Silences a harmless line of Mesa's about a display that is not needed.
QUIET = NODEVICE_SELECT=1
# How long each target of `make fuzz` takes.
FUZZ_SECONDS = 600

help:
	@echo 'make demo    run the experiment of Fig. 2 (top), print its summary, draw its figure'
	@echo 'make build   build target/release/queuefarm'
	@echo 'make figures every experiment of data/experiments drawn into docs/figures (minutes)'
	@echo 'make test    every test, with a software GPU, Python reading the output and a browser reading the report'
	@echo '             (PROFILE=dev: with checks for overflow)'
	@echo 'make test-slurm      eight shards on a real Slurm of one node, one of them killed (installs slurm-wlm and munge)'
	@echo 'make test-snakemake  examples/snakemake (installs Snakemake under target/)'
	@echo 'make fuzz    broken experiment files, tables and result files, ten minutes each (FUZZ_SECONDS=60: one each)'
	@echo 'make check   format, lints, documentation'
	@echo 'make bench   measure the kernels on one core'

setup-build:
	@bash scripts/setup.sh build

setup-test:
	@bash scripts/setup.sh test

build: setup-build
	$(CARGO) build --locked --release

demo: build
	@mkdir -p demo
	@printf '\n'
	$(QUIET) $(PROGRAM) run data/experiments/fig2-top.toml -o demo/fig2-top.h5 --force
	@printf '\n'
	$(PROGRAM) summary demo/fig2-top.h5
	@printf '\n'
	$(PROGRAM) plot demo/fig2-top.h5 -o demo/fig2-top.svg
	@printf '\n%s\n%s\n' \
		"Results: $$PWD/demo/fig2-top.h5 (HDF5; docs/output-format.md says what is in it)" \
		"Figure:  $$PWD/demo/fig2-top.svg"

figures: build
	$(QUIET) bash scripts/figures.sh $(PROGRAM)

# A browser that cannot be installed does not stop the tests: what needs it is skipped, unless REQUIRE_CHROMIUM=1.
test: setup-test
	$(QUIET) REQUIRE_GPU=1 REQUIRE_PYTHON=1 QUEUEFARM_PYTHON="$$PWD/.venv/bin/python" \
		QUEUEFARM_CHROMIUM="$$(bash scripts/setup.sh browser)" \
		$(CARGO) test --locked --no-fail-fast --profile $(PROFILE) --features fault-injection

test-slurm: setup-test build
	@bash scripts/slurm-test.sh $(PROGRAM) .venv/bin/python

test-snakemake: setup-test build
	@bash scripts/snakemake-test.sh $(PROGRAM) .venv/bin/python

fuzz: setup-build
	@bash scripts/fuzz.sh $(FUZZ_SECONDS)

check: setup-build
	$(CARGO) fmt --check
	$(CARGO) clippy --locked --all-targets --profile $(PROFILE) --features fault-injection -- -D warnings
	$(CARGO) clippy --locked --lib --bins --profile $(PROFILE) -- -D warnings
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --locked --no-deps --profile $(PROFILE)

bench: setup-build
	$(QUIET) $(CARGO) bench --locked
