# Everything a person or a build machine needs: run, test, test-live, test-gate.
# Each target installs what is missing first, so that a fresh clone is enough.

LAB ?= $(or $(DOORWARD_LAB),$(HOME)/.cache/doorward-lab)
PYTHON ?= python3

# `npm install`, since npm 11 refuses its own lock file in `npm ci` over an optional package of Windows.
.PHONY: run test test-live test-gate bench setup ui build clean

run: setup ui build
	tests/setup/run.sh

test: setup
	cargo fmt --all --check
	cargo clippy --all-targets -- -D warnings
	cd ui && npm install --no-audit --no-fund && npm run check && npm test && npm run build && npm run test:view
	cargo build
	cargo clippy -p doorward-window --all-targets -- -D warnings
	cargo build -p doorward-window
	cargo test
	cargo test -p doorward-core --features ts --test types
	cargo clippy -p doorward-desk --all-targets -- -D warnings
	cargo test -p doorward-desk

test-live: setup
	DOORWARD_LAB="$(LAB)" sh tests/lab/install.sh claude
	cargo build -p doorward -p doorward-harness
	set -e; for script in tests/live/*.py; do DOORWARD_LAB="$(LAB)" $(PYTHON) "$$script"; done

# The release build of the window against forged input; takes a release build's time.
test-gate: build
	command -v Xephyr >/dev/null || { echo "install Xephyr first (Debian: xserver-xephyr)" >&2; exit 1; }
	cargo build --release -p doorward-window
	cargo test -p doorward-desk --test gate

# Not a test: it prints what Doorward costs here and now. Words choose a part: make bench PART=relay
bench: ui
	cargo build --release -p doorward -p doorward-tray -p doorward-harness -p doorward-bench
	cargo build --release -p doorward-window
	target/release/doorward-bench $(PART)

setup:
	tests/setup/install.sh

ui: setup
	cd ui && npm install --no-audit --no-fund && npm run build

# The window embeds the built UI: it comes after it.
build: ui
	cargo build
	cargo build -p doorward-window

clean:
	cargo clean
	rm -rf ui/dist ui/node_modules
