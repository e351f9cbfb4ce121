# Every target installs what it needs into .venv. Options for the command itself go into ARGS:
#   make lab ARGS="--port 8899 --no-browser"      make test ARGS="-k copies"      make chapters ARGS=01
# book/set_up.py chooses PyTorch's build; TORCH=cpu or TORCH=cuda overrides the choice, also later.

PYTHON ?= python3
ARGS ?=
TORCH ?=

VENV := .venv
PY := $(VENV)/bin/python
# The conditions of the stored outputs: one thread, no progress bars.
AS_STORED := OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 FAIRFL_PROGRESS=0

# An existing .venv is unusable if its installation was interrupted, the folder was moved, its Python is gone, or TORCH asks for the other build.
AFRESH := $(shell TORCH='$(TORCH)' $(PY) -I -S book/set_up.py --sound 2>/dev/null || echo afresh)
# The CPU build has its own index, also in the other environments and for the wheels of a release.
INDEX = $(if $(filter cpu,$(or $(TORCH),$(shell cat $(VENV)/.torch 2>/dev/null))),--extra-index-url https://download.pytorch.org/whl/cpu)

.PHONY: help lab reset test check test-lowest test-portable test-browser test-flower test-torchjd test-ray test-site test-every-page test-wheel check-workflows chapters book note pdf slides student solutions questions cards mark wheels release reproduce benchmarks audit lock clean afresh

help:
	@echo "make lab            open the book in JupyterLab, on your own copies in work/: ARGS=05 opens chapter 5"
	@echo "make reset          restore your copy of a chapter, and keep the old one: ARGS=04"
	@echo "make test           run every test, including the notebooks: about fifteen minutes on two cores"
	@echo "make check          run linters and formatters (Python, JavaScript), the type checker and the docstrings' examples, and check the pages' facts"
	@echo "make check-workflows  lint what GitHub reads (.github, CITATION.cff), with zizmor and check-jsonschema in their own environment"
	@echo "make test-lowest    run the tests without notebooks at the lowest versions that pyproject.toml allows"
	@echo "make test-portable  run the notebooks and the solvers as on other processors: ARGS=oldest; default: all of them"
	@echo "make test-browser   test a real JupyterLab in headless Chromium"
	@echo "make test-flower    install Flower as well, and run the rules inside it"
	@echo "make test-torchjd   install TorchJD as well, and run its aggregators as rules"
	@echo "make test-ray       install Ray as well, and run jobs on two nodes, one of which is killed"
	@echo "make reproduce      rerun a published table: ARGS=fedfv_table_3; without ARGS, list them"
	@echo "make test-site      build the static site, and test it in headless Chromium without a network"
	@echo "make test-every-page  look for barriers with axe-core on all of the site's pages, and in dark labs: half an hour"
	@echo "make test-wheel     build the book's wheels, install them into an environment of their own, and read and answer chapter 0 there in headless Chromium"
	@echo "make chapters       execute the chapters' texts and write their notebooks"
	@echo "make note           print the note on scales and hulls as a PDF into book/_build, with headless Chromium"
	@echo "make pdf            set the whole book as a PDF into book/_build with Typst, from the stored notebooks: two minutes; ARGS=04, ARGS=--with-answers"
	@echo "make book           build the static site into book/_build/html: ARGS=--without-solutions"
	@echo "make slides         write a deck of slides per chapter, as HTML and PDF, into dist/slides: ARGS=\"04 07\""
	@echo "make student        write notebooks without outputs and with unsolved exercises into dist/student"
	@echo "make solutions      write notebooks with solved exercises into dist/solutions, if the book has solutions"
	@echo "make questions      write fifteen questions on misconceptions, for before and after a course, into dist/questions"
	@echo "make cards          write the glossary as cards for spaced review in Anki into dist/cards: ARGS=\"--language zh\""
	@echo "make mark           run a class's notebooks and write their marks as a table, and a sheet for each student: ARGS=FOLDER, or ARGS=\"'THE FOLDER (2026)'\"; ARGS=--help explains it"
	@echo "make wheels         build the book as a Python wheel, which opens it without a clone, and its solutions as another, into dist"
	@echo "make release        pack the book, student notebooks, slides and, if they are built, the PDF and the site into an archive in dist: ARGS=--without-solutions"
	@echo "make benchmarks     measure rules, training, larger federations, a GPU, and other libraries: benchmarks/README.md"
	@echo "make lock           write the versions in .venv to requirements.lock, and the hashes of their archives to requirements.hashes"
	@echo "make audit          look the locked versions up among the known vulnerabilities"
	@echo "make clean          remove .venv and files left by tools; work/, dist/ and runs/ stay"

lab: $(VENV)/.lab
	@$(PY) -m fairfl_book lab $(ARGS)

reset: $(VENV)/.lab
	@$(PY) -m fairfl_book reset $(ARGS)

test: $(VENV)/.dev
	@echo "About fifteen minutes on two cores; for a part: make test ARGS=tests/fairfl/rules"
	$(AS_STORED) $(PY) -m pytest -n2 --dist loadfile -m "not browser and not site" --ignore=tests/prose \
		--nbval --nbval-current-env --nbval-sanitize-with tests/nbval.cfg $(ARGS)

# Checks that are not tests: style, types, examples in docstrings, and statements of the pages about the code.
check: $(VENV)/.dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	@$(PY) -m fairfl_book.build.javascript_checks
	$(AS_STORED) $(PY) -m pytest -q -p no:cacheprovider --doctest-modules --ignore=fairfl/deployment/flower fairfl tests/prose $(ARGS)

FORMS := .github/ISSUE_TEMPLATE
check-workflows: $(VENV)/workflows/.ready
	$(VENV)/workflows/bin/zizmor --offline --no-progress --quiet .github
	@set -e; valid() { echo "$$1: $$2"; $(VENV)/workflows/bin/check-jsonschema --builtin-schema "$$1" $$2; }; \
		valid vendor.github-workflows "$(wildcard .github/workflows/*.yml)"; \
		valid custom.github-workflows-require-timeout "$(wildcard .github/workflows/*.yml)"; \
		valid vendor.github-issue-forms "$(filter-out $(FORMS)/config.yml,$(wildcard $(FORMS)/*.yml))"; \
		valid vendor.github-issue-config $(FORMS)/config.yml; \
		valid vendor.dependabot .github/dependabot.yml; \
		valid vendor.citation-file-format CITATION.cff

test-lowest: $(VENV)/lowest/.ready
	$(AS_STORED) $(VENV)/lowest/bin/python -m pytest -n2 --dist loadfile -m "not browser and not site" tests --ignore=tests/prose $(ARGS)

test-portable: $(VENV)/.dev
	$(AS_STORED) $(PY) tests/portable.py $(ARGS)

test-browser: $(VENV)/.dev
	$(PY) -m pytest -m browser tests/fairfl_book/browser $(ARGS)

test-flower: $(VENV)/flower/.ready
	$(AS_STORED) $(VENV)/flower/bin/python -m pytest tests/fairfl/flower $(ARGS)

test-torchjd: $(VENV)/torchjd/.ready
	$(AS_STORED) $(VENV)/torchjd/bin/python -m pytest tests/fairfl/rules/test_torchjd.py $(ARGS)

test-ray: $(VENV)/ray/.ready
	$(AS_STORED) $(VENV)/ray/bin/python -m pytest tests/reproductions/test_on_ray.py $(ARGS)

benchmarks: $(VENV)/.dev
	$(PY) benchmarks/import_time.py
	$(PY) benchmarks/rules.py --repeats 3
	$(PY) benchmarks/training.py --quick
	$(PY) benchmarks/scale.py
	$(PY) benchmarks/scale.py --wide
	$(PY) benchmarks/gpu.py $(ARGS)
	$(PY) benchmarks/side_by_side.py
	@$(MAKE) $(VENV)/torchjd/.ready && $(VENV)/torchjd/bin/python benchmarks/peer_torchjd.py || echo "TorchJD did not run; see above"

reproduce: $(VENV)/.lab
	$(PY) -m reproductions run $(ARGS)

test-site: book $(VENV)/.dev
	$(PY) -m pytest -m "site and not every_page" tests/fairfl_book/site $(ARGS)

test-every-page: book $(VENV)/.dev
	$(PY) -m pytest -m every_page tests/fairfl_book/site $(ARGS)

test-wheel: $(VENV)/.dev
	@rm -rf $(VENV)/wheels && $(PY) -m fairfl_book wheels --out $(VENV)/wheels
	@$(PY) -m venv --clear $(VENV)/wheel
	@$(VENV)/wheel/bin/python -m pip install --disable-pip-version-check --constraint requirements.lock $(INDEX) \
		"$$(ls $(VENV)/wheels/fairfl-*.whl)[lab]" $(VENV)/wheels/fairfl_solutions-*.whl
	FAIRFL_INSTALLED=$(VENV)/wheel/bin/python $(PY) -m pytest tests/fairfl_book/browser/test_installed_book.py $(ARGS)

chapters: $(VENV)/.lab
	$(PY) -m fairfl_book chapters $(ARGS)

book: $(VENV)/.book
	OMP_NUM_THREADS=1 $(PY) -m fairfl_book.site $(if $(filter book,$(MAKECMDGOALS)),$(ARGS))

note: $(VENV)/.dev
	@$(PY) -m fairfl_book.build.note_pdf $(ARGS)

pdf: $(VENV)/.pdf
	@$(PY) -m fairfl_book.paper $(ARGS)

slides: $(VENV)/.dev
	@$(PY) -m fairfl_book slides $(ARGS)

student: $(VENV)/.lab
	@$(PY) -m fairfl_book student $(ARGS)

solutions: $(VENV)/.lab
	@$(PY) -m fairfl_book solutions $(ARGS)

questions: $(VENV)/.lab
	@$(PY) -m fairfl_book questions $(ARGS)

cards: $(VENV)/.lab
	@$(PY) -m fairfl_book cards $(ARGS)

mark: $(VENV)/.lab
	@$(PY) -m fairfl_book mark $(ARGS)

wheels: $(VENV)/.lab
	@$(PY) -m fairfl_book wheels $(ARGS)

release: $(VENV)/.lab
	@$(if $(INDEX),PIP_EXTRA_INDEX_URL=$(lastword $(INDEX)) )$(PY) -m fairfl_book release $(ARGS)

# Local versions such as +cpu are removed, because other computers cannot install them.
audit: $(VENV)/audit/.ready
	$(VENV)/audit/bin/pip-audit --disable-pip --requirement requirements.hashes $(ARGS)

lock: $(VENV)/.dev
	{ echo "# The exact versions that the stored outputs were made with; made by 'make lock', used as pip constraints."; \
	  $(PY) -m pip freeze --exclude-editable | sed -e 's/+[A-Za-z0-9.]*$$//' -e '/^#/d'; } > requirements.lock.part
	mv requirements.lock.part requirements.lock
	@$(MAKE) --no-print-directory $(VENV)/audit/.ready
	$(VENV)/audit/bin/uv pip compile requirements.lock --no-deps --generate-hashes --no-annotate --no-header --quiet --output-file requirements.hashes
	@touch $(VENV)/.lab $(VENV)/.book $(VENV)/.pdf $(VENV)/.dev

clean:
	rm -rf $(VENV) book/_build build *.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache requirements.lock.part
	find . \( -path ./.git -o -path ./work -o -path ./dist -o -path ./runs \) -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.lab: pyproject.toml requirements.lock $(AFRESH)
	$(call install,lab)
	@touch $@

$(VENV)/.book: pyproject.toml requirements.lock $(AFRESH)
	$(call install,book)
	@touch $@ $(VENV)/.lab

# Typst and Pandoc are large and only for this target.
$(VENV)/.pdf: pyproject.toml requirements.lock $(AFRESH)
	$(call install,pdf)
	@touch $@ $(VENV)/.lab $(VENV)/.book

$(VENV)/.dev: pyproject.toml requirements.lock $(AFRESH)
	$(call install,dev)
	@touch $@ $(VENV)/.lab $(VENV)/.book $(VENV)/.pdf

# Flower needs an older `packaging` than the lock has, so it has its own environment, with the locked versions of everything else.
FLOWER := $(VENV)/flower
$(FLOWER)/.ready: pyproject.toml requirements.lock $(VENV)/.dev
	@$(PY) -m venv --clear $(FLOWER)
	@grep -v '^packaging==' requirements.lock > $(FLOWER)/constraints
	@$(FLOWER)/bin/python -m pip install --disable-pip-version-check --constraint $(FLOWER)/constraints $(INDEX) --editable ".[flower]" pytest hypothesis
	@touch $@

# TorchJD's solvers and Ray (80 MB, for several machines) are needed by few readers, so each has its own environment as well.
$(VENV)/torchjd/.ready $(VENV)/ray/.ready: $(VENV)/%/.ready: pyproject.toml requirements.lock $(VENV)/.dev
	@$(PY) -m venv --clear $(VENV)/$*
	@$(VENV)/$*/bin/python -m pip install --disable-pip-version-check --constraint requirements.lock $(INDEX) --editable ".[$*]" pytest
	@touch $@

# What reads the registry's hashes and its list of vulnerable versions.
$(VENV)/audit/.ready: Makefile $(VENV)/.dev
	@$(PY) -m venv --clear $(VENV)/audit
	@$(VENV)/audit/bin/python -m pip install --disable-pip-version-check uv==0.13.9 pip-audit==2.10.1
	@touch $@

# FLGo and pfl-research, used only by benchmarks, need older versions of many packages; the numerical packages are the locked ones.
$(VENV)/flgo/.ready: PEER = flgo==0.4.4
$(VENV)/pfl/.ready: PEER = pfl==0.6.0
$(VENV)/flgo/.ready $(VENV)/pfl/.ready: $(VENV)/%/.ready: pyproject.toml requirements.lock $(VENV)/.dev
	@$(PY) -m venv --clear $(VENV)/$*
	@grep -E '^(torch|torchvision|numpy|scipy|scikit-learn)==' requirements.lock > $(VENV)/$*/constraints
	@$(VENV)/$*/bin/python -m pip install --disable-pip-version-check --constraint $(VENV)/$*/constraints $(INDEX) --editable . $(PEER)
	@touch $@

# The linters of what GitHub reads, for this target only. Neither asks the network.
$(VENV)/workflows/.ready: $(VENV)/.dev
	@$(PY) -m venv --clear $(VENV)/workflows
	@$(VENV)/workflows/bin/python -m pip install --disable-pip-version-check zizmor==1.32.0 check-jsonschema==0.39.0
	@touch $@

# Each direct dependency at its lower bound, in its own environment, because an untested bound is a guess.
LOWEST := $(VENV)/lowest
$(LOWEST)/.ready: pyproject.toml $(VENV)/.dev
	@$(PY) -m venv --clear $(LOWEST)
	@sed '1,/^dependencies/d' pyproject.toml | grep -oE '"[A-Za-z0-9-]+>=[0-9.]+"' | sed -e 's/"//g' -e 's/>=/==/' > $(LOWEST)/constraints
	@$(LOWEST)/bin/python -m pip install --disable-pip-version-check --constraint $(LOWEST)/constraints $(INDEX) --editable ".[dev]"
	@touch $@

afresh: ;

# $(call install,EXTRA): a usable .venv with the project, editable, at the locked versions.
define install
	@command -v $(PYTHON) >/dev/null 2>&1 || { \
		echo "fairfl needs Python 3.11 or newer; '$(PYTHON)' was not found." >&2; \
		echo "Install one from https://www.python.org, or choose an installed one: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; \
		exit 1; }
	@TORCH='$(TORCH)' $(PYTHON) book/set_up.py $(1)
endef
