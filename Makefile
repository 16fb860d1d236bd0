# make demo    a running site with a demo study: web server and worker in one terminal
# make test    all tests, browser tests included
# make setup   only the virtual environment in .venv
# make lint    formatting, lint, types
# make messages  collect the annotators' words for translation, compile what is translated
# See README.md.

PYTHON ?= python3.11
BIN := .venv/bin
VAR := $(or $(VAR_DIR),var)

.PHONY: demo test setup lint format messages clean

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

# Only what annotators read is translated: everything else is left out by its folder.
FOR_RESEARCHERS := $(filter-out annotation templates locale,$(patsubst %/,%,$(wildcard */))) \
	$(filter-out templates/annotation,$(patsubst %/,%,$(wildcard templates/*/))) \
	templates/window.html

messages: .venv/development
	$(BIN)/python manage.py makemessages --all --no-obsolete --no-wrap --add-location file \
		$(foreach path,$(FOR_RESEARCHERS),--ignore '$(path)')
	$(BIN)/python manage.py compilemessages --ignore .venv

clean:
	rm -rf .venv
