PYTHON ?= python3
ENVIRONMENT = @$(PYTHON) etc/environment.py

.PHONY: lab reset test test-all lessons new-lesson site check-site train weights test-reference bench \
	class grade test-class classroom classroom-test

lab: ## open the course in the browser: make lab [PORT=9000]
	$(ENVIRONMENT) lab $(if $(PORT),--port $(PORT))

reset: ## give a lesson back as it was published, and keep yours with its date: make reset ONLY=05
	$(ENVIRONMENT) reset $(ONLY)

test: ## run every test, or one lesson's with those that read all lessons: make test [ONLY=05] [ARGS="tests/by_hand -k mask"]
	$(ENVIRONMENT) test $(if $(ONLY),$(call of_lesson,$(ONLY))) $(ARGS)
test-all: export TEST_ALL = 1
test-all: test ## run the long tests and claims too, and every lesson in the browser
of_lesson = lessons/$(1)_* notebooks/$(1)_*.ipynb lessons/test_openings.py tests/course tests/browser/test_every_lesson.py \
	tests/test_style.py -n 2 -k "$(1)_ or [$(1) or test_lessons or test_teaching or test_style or asks_six or test_lesson_asks or each_has_its_way"

lessons: ## build notebooks/ from lessons/: make lessons [ONLY=05] [ALL=1] [SOLVED=1]
	$(ENVIRONMENT) run python -m utils.course.build $(ONLY) $(if $(ALL),--all) $(if $(SOLVED),--solved)

new-lesson: ## make the folder of a new lesson that builds and passes: make new-lesson NN=21 [TITLE="Rotary positions"]
	$(ENVIRONMENT) run python -m utils.course.new_lesson $(NN) $(if $(TITLE),--title "$(TITLE)")

site: ## make the course as pages that need no Python, in build/site: make site [ONLY=05] [REPOSITORY=owner/name REF=v1.0]
	$(ENVIRONMENT) run python -m utils.site.build $(ONLY) $(if $(REPOSITORY),--repository "$(REPOSITORY)" --ref "$(REF)")

check-site: ## ask build/site what Python says too, each control by its scripts and in a browser: make check-site [ONLY=05]
	$(ENVIRONMENT) run python -m tests.check_site $(ONLY)

class: ## what students of a class get, and what their teacher: make class LESSONS=05,06 [TO=class]
	$(ENVIRONMENT) run python -m utils.course.classes.copies "$(LESSONS)" "$(or $(TO),class)"

grade: ## mark what a class has handed in, a folder for each student: make grade SUBMISSIONS=folder [CLASS=class] [TO=marks] [TRUST=yes]
	$(ENVIRONMENT) run python -m utils.course.classes.grade "$(SUBMISSIONS)" --of "$(or $(CLASS),class)" --to "$(or $(TO),marks)" $(if $(TRUST),--trust)

test-class: ## mark a class's copy with nbgrader, in an environment of its own, build/tools
	$(ENVIRONMENT) run python -m tests.course.classes.tools

train: ## train a translator: make train [CORPUS=file.tsv] [OUT=file.safetensors] [ARGS="--steps 5000"]
	$(ENVIRONMENT) run python -m utils.training.train $(if $(CORPUS),--corpus "$(CORPUS)") $(if $(OUT),--out "$(OUT)") $(ARGS)

weights: ## fetch the real BERT of lesson 15, 91 MB, once
	$(ENVIRONMENT) run python -m utils.models.minilm

test-reference: ## compare our BERT with the library's, in an environment of its own
	$(ENVIRONMENT) run python -m tests.reference.run

bench: ## measure how fast the course is: make bench [ONLY=step_time]
	$(ENVIRONMENT) run python -m bench $(ONLY)

classroom: ## serve the course to a class, with JupyterHub (classroom/README.md): make classroom NAMES=class.txt [PORT=8000] [ADDRESS=0.0.0.0] [DOMAIN=https://class.example.org]
	$(ENVIRONMENT) run uv pip install -q -c constraints.txt -r classroom/requirements.txt
	@CLASSROOM_NAMES="$(NAMES)" CLASSROOM_PORT="$(PORT)" CLASSROOM_ADDRESS="$(ADDRESS)" CLASSROOM_DOMAIN="$(DOMAIN)" \
		$(PYTHON) etc/environment.py run python -m jupyterhub -f classroom/jupyterhub_config.py

classroom-test: ## test that server: who gets in, what nobody reaches, what stays
	$(ENVIRONMENT) run uv pip install -q -c constraints.txt -r classroom/requirements.txt
	$(ENVIRONMENT) run python -m pytest -n 0 tests/classroom/hub.py $(ARGS)
