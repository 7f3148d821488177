# SPDX-License-Identifier: Apache-2.0
# The front door. meson and ninja do the work; `make help` says what there is.
#
# Three build folders: build/ (what is installed), build-check/ (debug, warnings are errors, address and
# undefined-behaviour sanitizers: the tests without a JVM), build-fuzz/ (clang and libFuzzer).

PREFIX  ?= /usr/local
DESTDIR ?=
JOBS    ?= $(shell nproc)
PYTHON  ?= python3

# A sanitizer that only prints is overlooked; one that aborts fails the test.
CHECK_FLAGS := -Dbuildtype=debug -Dwerror=true -Db_lundef=false -Db_sanitize=address,undefined \
	-Dc_args='-fno-sanitize-recover=all -fno-omit-frame-pointer'
FUZZ_FLAGS  := -Dbuildtype=debugoptimized -Db_lundef=false -Db_sanitize=address,undefined -Dfuzz=true \
	-Dc_args='-fno-sanitize-recover=all -fsanitize=fuzzer-no-link'

.PHONY: all build build-tests build-bench build-check build-fuzz demo test check bench install lint fmt fuzz clean help

all: setup-build ## build wick and its agent into build/ (installs what is missing first)
	@$(MAKE) --no-print-directory build

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup-%:
	@tools/setup $*

build: build/build.ninja
	@ninja -C build -j $(JOBS) --quiet product

build-tests: build/build.ninja
	@ninja -C build -j $(JOBS)

build-bench: build/build.ninja
	@ninja -C build -j $(JOBS) --quiet benchmarks

build-check: build-check/build.ninja
	@ninja -C build-check -j $(JOBS)

build-fuzz: build-fuzz/build.ninja
	@ninja -C build-fuzz -j $(JOBS) fuzzers

# What meson finds out is in build*/meson-logs; it is shown if something is missing.
define configure
	@said=$$(meson setup $(1) 2>&1) || { printf '%s\n' "$$said"; exit 1; }
endef

build/build.ninja:
	$(call configure,build -Dbuildtype=debugoptimized -Dprefix='$(abspath $(PREFIX))')

build-check/build.ninja:
	$(call configure,build-check $(CHECK_FLAGS))

build-fuzz/build.ninja: export CC := clang
build-fuzz/build.ninja:
	$(call configure,build-fuzz $(FUZZ_FLAGS))

demo: setup-demo ## profile the demo service for 10 s, in the browser as well; UI=1: which then stays open
	@$(MAKE) --no-print-directory build
	@tools/demo $(if $(UI),--ui)

test: setup-test ## everything: the checks, then real JVMs and a real browser
	@$(MAKE) --no-print-directory build-tests build-check
	@$(PYTHON) tests/run

check: setup-check ## unit, golden, fuzz-corpus and lint tests under sanitizers; no JVM
	@$(MAKE) --no-print-directory build-check
	@$(PYTHON) tests/run check

lint: setup-check ## only the rules of the code, on the release build
	@$(MAKE) --no-print-directory build
	@tests/lint/lint --build build

fmt: setup-check ## format the C sources
	@git ls-files -co --exclude-standard -- '*.c' '*.h' | grep -v '^tests/lint/fixtures/' | xargs -r clang-format -i

fuzz: setup-check ## T=target SECONDS=60: search for new inputs that break a parser
	@$(MAKE) --no-print-directory build-fuzz
	@tests/fuzz/run '$(T)' '$(or $(SECONDS),60)'

bench: setup-bench ## measure; BENCH="name..." for some of the benchmarks
	@$(MAKE) --no-print-directory build-bench
	@$(PYTHON) bench/run $(BENCH)

install: setup-build ## into PREFIX (default /usr/local), below DESTDIR if given
	@$(MAKE) --no-print-directory build
	@meson configure build -Dprefix='$(abspath $(PREFIX))'
	@DESTDIR='$(DESTDIR)' meson install -C build --no-rebuild

clean: ## remove what was built
	@rm -rf build build-check build-fuzz
