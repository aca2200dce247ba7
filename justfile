# Each recipe is one line that also works when typed by hand.

# the environment of all packages, editable
sync:
    uv sync

# style, types and import contracts
check:
    uv run ruff format --check && uv run ruff check && uv run mypy packages/*/src examples/*/src templates/*/src && uv run lint-imports

# mends style
fix:
    uv run ruff check --fix ; uv run ruff format

# the tests that take seconds
quick *ARGS:
    uv run pytest -m "not slow and not acceptance and not nightly" {{ARGS}}

# all tests
test *ARGS:
    uv run pytest {{ARGS}}

# brings the real clients and the conformance suite for tests/acceptance and tests/peers
clients:
    bash .ci/clients

# what continuous integration runs
ci:
    bash .ci/run

# speed, against the published peer
bench *ARGS:
    uv run --no-sync python bench/run.py --peer {{ARGS}}

# what holds up the server's loop, with a memory of 10,000 lessons
loop *ARGS:
    uv run --no-sync python bench/loop.py {{ARGS}}

# ten rough minutes: kills, full disks, wrong clocks
soak *ARGS:
    uv run --no-sync python bench/soak.py {{ARGS}}

# third-party versions as they resolve now, to copy into constraint-dependencies
pins:
    uv export --all-packages --no-hashes --no-emit-workspace --no-annotate --no-header
