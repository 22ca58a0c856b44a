"""A change that no test notices is seen, and what is no logic is not changed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.mutants import ROOT, Mutant, failure, main, mutants, protecting, sources, survivals

EVEN = Path("toy/even.py")


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course of one function, and a test that doesn't see whether something is added or taken off."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # all of them take seconds to import, at each run
    monkeypatch.setenv("PYTEST_PLUGINS", "xdist.plugin")
    for folder in ["toy", "tests"]:
        (tmp_path / folder).mkdir()
    (tmp_path / EVEN).write_text("def next_even(n: int) -> int:\n    return n + n % 2\n")
    test = "from toy.even import next_even\n\n\ndef test_even():\n    assert next_even(4) == 4\n"
    (tmp_path / "tests" / "test_even.py").write_text(test)
    return tmp_path


def test_the_change_that_no_test_notices_survives_and_the_files_stay_as_they_are(toy):
    chosen = mutants(toy, [EVEN], number=300, seed=0)
    assert sorted(mutant.change.splitlines()[1] for mutant in chosen) == [
        "+    return n + n % 3",
        "+    return n + n / 2",
        "+    return n - n % 2",
    ]
    survived = [mutant for mutant, passed in zip(chosen, survivals(toy, chosen), strict=True) if passed]
    assert [(mutant.path, mutant.line, mutant.change) for mutant in survived] == [
        (EVEN, 2, "-    return n + n % 2\n+    return n - n % 2")
    ]
    assert failure(toy, EVEN, "while True:\n    pass\n", seconds=2) is not None
    assert "n + n % 2" in (toy / EVEN).read_text()


def test_tests_that_fail_without_a_change_are_told_from_kills(toy):
    chosen = mutants(toy, [EVEN], 1, 0)
    (toy / EVEN).write_text("def next_even(n):\n    return 5\n")
    with pytest.raises(SystemExit, match=r"toy/even.py is as it was, and its tests fail: tests/test_even.py") as stop:
        list(survivals(toy, chosen))
    assert "assert 5 == 4" in str(stop.value), "what they say is passed on"


def test_the_first_answer_waits_for_no_other_file(toy):
    odd = Path("toy/odd.py")
    (toy / odd).write_text("def next_odd(n):\n    return n\n")
    (toy / "tests" / "test_odd.py").write_text(
        "from toy.odd import next_odd\n\n\ndef test_odd():\n    assert next_odd(4) == 5\n"
    )
    answers = survivals(toy, [*mutants(toy, [EVEN], 1, 0), Mutant(odd, "", 1, "")])
    assert next(answers) in (True, False)
    with pytest.raises(SystemExit, match=r"toy/odd.py is as it was"):
        next(answers)


def test_the_sample_is_the_seeds(toy):
    samples = [[mutant.change for mutant in mutants(toy, [EVEN], 2, seed)] for seed in [0, 0, 1, 2, 3]]
    assert samples[0] == samples[1]
    assert len({tuple(sample) for sample in samples}) > 1
    assert {len(sample) for sample in samples} == {2}


@pytest.mark.parametrize(
    "code",
    [
        "TABLE = [1, 2 + 3]\n",
        'def f():\n    """Takes 1 + 2."""\n',
        "def f(n: int | None):\n    raise ValueError(f'n is {n + 1}')\n",
        "def f(a):\n    return a.to(b, device=c)\n",
        "def f():\n    return argparse.ArgumentParser(description='n + 1')\n",
        "def f(seed=1):\n    return np.random.default_rng(seed + 1)\n",
    ],
)
def test_what_is_no_logic_is_not_changed(toy, code):
    (toy / EVEN).write_text(code)
    assert mutants(toy, [EVEN], 300, 0) == []


def test_only_in_the_entries_is_one_random_matrix_as_good_as_another(toy):
    entry = Path("lessons/19_notes_checked/notes/n9.py")
    (toy / entry).parent.mkdir(parents=True)
    for path in (entry, EVEN):
        (toy / path).write_text("def f(random):\n    return random.normal(2)\n")
    assert [mutant.path for mutant in mutants(toy, [entry, EVEN], 300, 0)] == [EVEN]


@pytest.mark.parametrize(
    ("path", "first", "others"),
    [
        ("utils/training/loss.py", "tests/training/test_loss.py", {"tests/training/test_loop.py"}),
        ("lessons/01_why_attention/reviews.py", "lessons/01_why_attention/test_reviews.py", set()),
        ("lessons/05_self_attention_by_hand/exercises.py", "tests/course/test_exercises.py", {"-k", "[05."}),
        ("lessons/19_notes_checked/notes/n1.py", "tests/course/test_ledger.py", set()),
        ("etc/environment.py", "tests/test_environment.py", set()),
        ("utils/data/corpora.py", "tests/data/test_corpora.py", {"tests/data/test_german.py"}),
        ("utils/models/masks.py", "lessons/11_decoder/test_toy_mistakes.py", {"tests/models/test_bert.py"}),
        ("utils/require.py", "tests/test_require.py", set()),
    ],
)
def test_a_file_meets_its_own_tests_first(path, first, others):
    tests = protecting(ROOT, Path(path))
    assert tests[0] == first
    assert others <= set(tests)


def test_a_file_does_not_meet_all_tests_of_its_room():
    assert protecting(ROOT, Path("utils/course/claims.py")) == [
        "tests/course/test_claims.py",
        "tests/course/test_new_lesson.py",
    ]


@pytest.mark.skipif(not shutil.which("git"), reason="git tells what has changed")
def test_only_what_has_changed_since_a_revision_is_tried(toy, monkeypatch, capsys):
    monkeypatch.setattr("tests.mutants.ROOT", toy)
    monkeypatch.setattr("tests.mutants.ROOMS", ["toy"])
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)  # which might sign, or change ends of lines
    for command in ["init -q", "add .", "-c user.name=a -c user.email=a@b.org commit -qm first"]:
        subprocess.run(["git", "-C", toy, *command.split()], check=True)
    assert sources(["toy"], None) == [EVEN]
    assert main(["--since", "HEAD"]) == 0
    assert capsys.readouterr().out == "0 of 0 killed: 100.0%, and 90% is the least.\n"
    (toy / EVEN).write_text("def next_even(n):\n    return n\n")
    assert sources(["toy"], "HEAD") == [EVEN]
