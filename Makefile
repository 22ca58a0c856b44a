PYTHON ?= python3
ENVIRONMENT = @$(PYTHON) etc/environment.py

.PHONY: lab test lessons bench

lab: ## open the course in the browser: make lab [PORT=9000]
	$(ENVIRONMENT) lab $(if $(PORT),--port $(PORT))

test: ## run every test: make test [ARGS="tests/by_hand -k mask"]
	$(ENVIRONMENT) test $(ARGS)

lessons: ## build notebooks/ from lessons/: make lessons [ONLY=05] [ALL=1] [SOLVED=1]
	$(ENVIRONMENT) run python -m utils.course.build $(ONLY) $(if $(ALL),--all) $(if $(SOLVED),--solved)

bench: ## measure how fast the course is
	$(ENVIRONMENT) run python -m bench.control_latency
