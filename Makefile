# make demo    a running site with a demo study: web server and worker in one terminal
# make test    all tests, browser tests included
# make setup   only the virtual environment in .venv
# make lint    formatting, lint, types
# See README.md.

PYTHON ?= python3.11
BIN := .venv/bin
VAR := $(or $(VAR_DIR),var)

.PHONY: demo test setup lint format clean

demo: .venv/runtime
	@scripts/prepare-site
	@exec $(BIN)/python -m config.serve

setup: .venv/runtime

test: .venv/development
	@scripts/run-tests $(ARGS)

lint: .venv/development
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/djade --check $$(git ls-files 'templates/*.html')

format: .venv/development
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.venv/runtime: requirements.txt requirements-web.txt constraints.txt scripts/make-venv
	@PYTHON="$(PYTHON)" scripts/make-venv requirements.txt
	@touch $@

.venv/development: requirements-dev.txt requirements.txt requirements-web.txt constraints.txt scripts/make-venv
	@PYTHON="$(PYTHON)" scripts/make-venv requirements-dev.txt
	@touch .venv/runtime $@

clean:
	rm -rf .venv
