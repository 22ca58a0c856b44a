"""Build the course's site in `build/site` from the notebooks that `make lessons` has built: `make site`.

The pages open from the folder itself, without a network, and from any web host, because they load nothing from
elsewhere.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from utils.course.lessons import (
    NOTEBOOKS,
    ROOT,
    Lesson,
    UnknownLesson,
    all_lessons,
    companion_pages,
    known_numbers,
)
from utils.course.questions import all_questions, question_html
from utils.course.routes import ROUTES
from utils.course.routes import line as stop_line
from utils.files import forgive_output, path_of
from utils.show.colours import variables
from utils.show.live import LiveControl
from utils.show.page import script
from utils.site.elsewhere import Address, colab_notebook
from utils.site.glyphs import glyph
from utils.site.idea import scenes
from utils.site.lite import FOLDER, NUMBERS, build_lite
from utils.site.mathematics import math_style
from utils.site.pages import HERE, LessonPage, SavedControl, framed, in_line, lesson_page, linked
from utils.site.start import picture_of, stations
from utils.site.tables import gzipped, json_text, packed_answers, packed_table, run_cell

SITE, COLAB = (ROOT / "build" / name for name in ("site", "colab"))
COURSE = "Transformers, by hand"
LINK_IMAGE = ROOT / "docs" / "link.png"  # docs/moving_picture.py makes it
_OURS = ("page.js", "host.js", "gallery.js", "questions.js")
_TWINS = {
    "05": "self_attention.js",
    "08": "masks.js",
    "09": "normalization.js",
}  # the JavaScript port of a lesson's first control
_SLOW = {"16": 500}  # the most settings, because for each a model writes a text piece by piece
_HIDDEN = re.compile(r"_|layout$|tabbable$|tooltip$")  # the traits of a widget that the page's scripts don't need
_NOTEBOOK = re.compile(r'"([\w-]+)\.ipynb(#[^"]*)?"')  # a link to a page
_DEFAULT = re.compile(r"^export default ", re.MULTILINE)


def built_lessons() -> list[Lesson]:
    """Return the lessons that `make lessons` has built so far."""
    return [lesson for lesson in all_lessons() if (NOTEBOOKS / lesson.notebook_name).is_file()]


def built_companions() -> list[Lesson]:
    """Return the companion pages of the lecture notes that have been built so far."""
    return [page for page in companion_pages() if (NOTEBOOKS / page.notebook_name).is_file()]


def build_site(
    folder: Path,
    lessons: Sequence[Lesson],
    tables: bool = True,
    here: Sequence[Lesson] = (),
    address: Address | None = None,
    among: Sequence[Lesson] = (),
) -> None:
    """Empty `folder`, and write the pages of `lessons` and the companion pages to it.

    tables: give the controls tables of answers; without them, they show only the saved state.
    here: the lessons that `build_lite` will put beside the pages.
    address: the course's repository, if known.
    among: all lessons whose pages will be in the folder, if these are more than `lessons`.
    """
    shutil.rmtree(folder, ignore_errors=True)
    assets = folder / "assets"
    assets.mkdir(parents=True)
    notebooks = {lesson: _built(lesson) for lesson in lessons}
    made = {lesson: lesson_page(notebook) for lesson, notebook in notebooks.items()}
    companions = {page: lesson_page(_built(page)) for page in built_companions()}
    pictured = {lesson: notebook for lesson, notebook in notebooks.items() if not made[lesson].opening}
    pictures = _write_pictures(assets, pictured)
    shutil.copy(LINK_IMAGE, assets)
    # A place that shows a link wants the image's whole address.
    shared = {"link_image": f"{address.pages if address else ''}assets/{LINK_IMAGE.name}"}
    texts, gallery, looks, door = {}, [], {}, {}
    for lesson, page in made.items():
        styles, scripts = _write_controls(assets, lesson, page, tables)
        if writer := _of_class(page, "Writer"):
            door = {"control": writer, "styles": styles, "scripts": [name for name in scripts if name != "host.js"]}
        if page.controls:
            gallery.append((lesson, _below(page), [name for name in scripts if name != "host.js"]))
            looks |= dict.fromkeys(styles)
        head, body = page.parted
        if lesson.name in pictures:  # the top of the page has it, with its caption
            picture = picture_of(notebooks[lesson])
            before, heading, after = body.partition("<h2")
            before = re.sub(
                rf'(<picture><source [^>]*>)?<img [^>]*src="{re.escape(picture.address)}"[^>]*>(</picture>)?',
                "",
                before,
            ).replace(f"<p>{pictures[lesson.name][2]}</p>", "", 1)
            body = (before + heading + after).replace(picture.address, f"assets/{pictures[lesson.name][0]}")
        texts[lesson.name] = framed(
            "frame",
            **shared,
            title=f"{lesson.number} {lesson.title} · {COURSE}",
            lesson=lesson,
            head=head,
            picture=pictures.get(lesson.name),
            opening=page.opening,
            body=body,
            headings=page.headings,
            tried=_tried(lesson, lesson in here, address),
            styles=styles,
            scripts=scripts,
            **_around(lesson, among or lessons),
        )
    for note, page in companions.items():
        texts[note.name] = framed(
            "frame",
            **shared,
            title=f"{note.number} {note.title} · {COURSE}",
            lesson=note,
            body=page.body,
            headings=page.headings,
            **_around(note, list(companions)),
        )
    first = {lesson.name: "control-1" for lesson, page in made.items() if page.controls}
    routes = [
        route for route in ROUTES if {stop.number for stop in route.stops} <= {lesson.number for lesson in lessons}
    ]
    start = framed(
        "start",
        **_machine(made, lessons),
        door=door,
        glyph=glyph,
        scenes=scenes(),
        lessons=lessons,
        routes=routes,
        stop_line=stop_line,
        controls=first,
        here=here,
        companions=list(companions),
    )
    shown = {"styles": door["styles"], "scripts": ["host.js", "gallery.js"]} if door else {}
    texts["index"] = framed("frame", **shared, title=COURSE, body=start, kind="start", **shown)
    texts["gallery"] = framed(
        "frame",
        **shared,
        title=f"All interactive figures · {COURSE}",
        body=framed("gallery", shown=gallery),
        styles=list(looks),
        scripts=["host.js", "gallery.js"],
    )
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    (assets / "math.css").write_text(math_style(list(texts.values())), encoding="utf-8")
    (assets / "search.js").write_text(f"course.index({_json(_index(made | companions))});\n", encoding="utf-8")
    _write_questions(assets)
    look = (HERE / "look.css").read_text(encoding="utf-8")
    (assets / "look.css").write_text(variables(":root") + look, encoding="utf-8")
    for name in _OURS:
        shutil.copy(HERE / name, assets / name)


def _built(source: Lesson) -> NotebookNode:
    return nbformat.read(NOTEBOOKS / source.notebook_name, as_version=4)


def _of_class(page: LessonPage, name: str) -> str | None:
    """Return the id of the first control of the class `name` on a page, or None."""
    of = (one for one, shown in page.controls.items() if shown.widget["state"]["_anywidget_id"].endswith(f".{name}"))
    return next(of, None)


def _below(page: LessonPage) -> list[str]:
    """Return the ids of a page's controls without the one that opens it, if there are others."""
    every = list(page.controls)
    return every[:-1] if page.opening and len(every) > 1 else every


def _machine(made: Mapping[Lesson, LessonPage], lessons: Sequence[Lesson]) -> dict[str, Any]:
    """Return the stations of the walkthrough and its sentence, or {} if no lesson has a walkthrough."""
    for page in made.values():
        if walk := _of_class(page, "WalkExplorer"):
            saved = page.controls[walk].widget["state"]["saved"]
            return {"stations": stations(saved, lessons), "sentence": saved[""]["text"]}
    return {}


def _write_pictures(assets: Path, notebooks: Mapping[Lesson, NotebookNode]) -> dict[str, tuple[str, str, str, str]]:
    """Write each lesson's first picture; return its name -> files, alternative text and caption."""
    written = {}
    for lesson, notebook in notebooks.items():
        if picture := picture_of(notebook):
            name = f"first-{lesson.number}.{picture.kind}"
            narrow = f"narrow-{lesson.number}.svg" if picture.narrow else ""
            written[lesson.name] = name, picture.alt, linked(in_line(picture.caption)), narrow
            for file, data in ((name, picture.data), (narrow, picture.narrow)):
                if file:
                    (assets / file).write_bytes(data)
    return written


def _around(source: Lesson, sources: Sequence[Lesson]) -> dict[str, Lesson | None]:
    """Return the lessons before and after `source`, to which its page links."""
    at = sources.index(source)
    return {"before": sources[at - 1] if at else None, "after": sources[at + 1] if at + 1 < len(sources) else None}


def _tried(lesson: Lesson, here: bool, address: Address | None) -> list[tuple[str, str]]:
    """Return the links, text and address, for trying a lesson without installing anything."""
    links = [("Try it here", f"{FOLDER}/lab/index.html?path={lesson.notebook_name}")] if here else []
    if address is not None:
        links += [] if here else [("Try it in Colab", address.colab(lesson))]
        links += [("Try it on Binder", address.binder(lesson))]
    return links


def _write_controls(assets: Path, lesson: Lesson, page: LessonPage, tables: bool) -> tuple[list[str], list[str]]:
    """Write the files for the controls of a page; return the names of its style sheets and scripts, in their order."""
    if not page.controls:
        return [], []
    styles, scripts, shown = {}, {"host.js": None}, []
    for model_id, control in page.controls.items():
        state = control.widget["state"]
        told = {"script": state["_esm"], "state": _visible(state), "buffers": _buffers(control.widget)}
        if state["_anywidget_id"].endswith(".Writer"):
            told |= {"weights": {one["name"]: _write_weights(assets, one["weights"]) for one in state["languages"]}}
        elif tables:
            if lesson.number in _TWINS and not shown:
                told |= {"twin": script(_TWINS[lesson.number], HERE / "twins")}
            told |= _table(lesson, len(shown) + 1, control)
        styles[_write_once(assets, "css", state["_css"])] = None
        for kind in [kind for kind in ("script", "twin") if kind in told]:
            told[kind], name = _write_script(assets, told[kind])
            scripts[name] = None
        shown.append(f'course.show("{model_id}", {_json(told)});\n')
    own = f"{lesson.name}.js"
    (assets / own).write_text("".join(shown), encoding="utf-8")
    return list(styles), [*scripts, own]


def _write_questions(assets: Path) -> None:
    """Write two scripts: the names of all questions, which every page loads, and all questions as HTML."""
    questions = [question for of in all_questions().values() for question in of]
    html = {question.name: linked(question_html(question)) for question in questions}
    (assets / "asked.js").write_text(f"course.told({_json(html)});\n", encoding="utf-8")
    (assets / "names.js").write_text(f"course.asked = {_json(list(html))};\n", encoding="utf-8")


def _write_weights(assets: Path, file: str) -> str:
    """Write a translator with its vocabularies as a script that a page in a folder may load; return its name."""
    name = f"{Path(file).stem}.js"
    (assets / name).write_text(f'course.weights("{name}", "{_gzipped_weights(file)}");\n', encoding="utf-8")
    return name


@cache  # seconds for each file, and the tests build many sites
def _gzipped_weights(file: str) -> str:
    return gzipped((ROOT / "utils" / "training" / file).read_bytes())


def _write_script(assets: Path, module: str) -> tuple[str, str]:
    """Write a module as a script that a page in a folder may load; return its key in `course.scripts` and its file."""
    text = _DEFAULT.sub("return ", module)
    key = hashlib.sha256(text.encode()).hexdigest()[:8]
    return key, _write_once(assets, "js", f'course.scripts["{key}"] = () => {{\n"use strict";\n{text}\n}};\n')


def _write_once(assets: Path, kind: str, text: str) -> str:
    """Write a text to a file named by its hash, so that all pages share it; return the file's name."""
    name = f"{hashlib.sha256(text.encode()).hexdigest()[:8]}.{kind}"
    (assets / name).write_text(text, encoding="utf-8")
    return name


def _table(lesson: Lesson, number: int, control: SavedControl) -> dict[str, Any]:
    """Return a control's table and its newly computed state, or {} if the control never asks Python."""
    if not {"refusal", "refusals"} & set(control.widget["state"]):
        return {}
    try:
        live = run_cell(control.source)
    except Exception as error:
        if type(error).__name__ != "MissingWeightsError":  # compare names, because importing the class needs torch
            raise
        print(f"{lesson.number} control {number} stays as it was saved: {error}")
        return {}
    state = _visible(live.get_state())
    data = {name: state.pop(name) for name, value in list(state.items()) if isinstance(value, bytes)}
    buffers = {name: base64.b64encode(value).decode("ascii") for name, value in data.items()}
    live.close()  # without a page, preparing messages would take a third of the time
    packed = packed_table(live, _SLOW.get(lesson.number)) if isinstance(live, LiveControl) else packed_answers(live)
    size = f"{len(packed.data) / 1e3:.0f} kB"
    print(f"{lesson.number} control {number}: {packed.held} of {packed.of} settings, {size}", flush=True)
    return {"state": state, "buffers": buffers, "table": packed.data}


def _visible(state: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in state.items() if not _HIDDEN.match(name)}


def _buffers(widget: Mapping[str, Any]) -> dict[str, str]:
    """Return name -> base64 for the bytes of a saved widget."""
    return {buffer["path"][0]: buffer["data"].strip() for buffer in widget.get("buffers", [])}


def _index(made: Mapping[Lesson, LessonPage]) -> list[list[str]]:
    """Return the search index: for each section, its page, the page's title, and the section's id, heading and text."""
    return [
        [f"{source.name}.html", f"{source.number} {source.title}", *section]
        for source, page in made.items()
        for section in page.sections
    ]


def _json(value: Any) -> str:
    """Return `value` as JSON for a script, with links to pages instead of notebooks."""
    return _NOTEBOOK.sub(r'"\1.html\2"', json_text(value))


def write_for_colab(folder: Path, lessons: Sequence[Lesson], address: Address) -> None:
    """Empty `folder`, and write the notebooks for Colab to it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for lesson in lessons:
        notebook = json.loads((NOTEBOOKS / lesson.notebook_name).read_text(encoding="utf-8"))
        text = json.dumps(colab_notebook(notebook, address), ensure_ascii=False, indent=1)
        (folder / lesson.notebook_name).write_text(text + "\n", encoding="utf-8")


def _put(fresh: Path, folder: Path, only: Sequence[Lesson]) -> None:
    """Replace `folder` by a newly built site, or, with `only`, just the pages of those lessons.

    With `only`, the other pages, the list of lessons and the search index stay as they are until all are built.
    """
    if not only:
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
        return
    for path in (fresh / "assets").iterdir():
        if path.name not in ("search.js", "math.css"):
            shutil.copy(path, folder / "assets" / path.name)
    for lesson in only:
        shutil.copy(fresh / f"{lesson.name}.html", folder / f"{lesson.name}.html")
    texts = [page.read_text(encoding="utf-8") for page in sorted(folder.glob("*.html"))]
    (folder / "assets" / "math.css").write_text(math_style(texts), encoding="utf-8")


def _say_size(folder: Path) -> None:
    sizes = [(path.stat().st_size, path.name) for path in folder.rglob("*") if path.is_file()]
    largest = ", ".join(f"{name} {size / 1e6:.1f} MB" for size, name in sorted(sizes)[-3:])
    print(f"{folder}/index.html: {len(sizes)} files, {sum(s for s, _ in sizes) / 1e6:.1f} MB; {largest}", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the site that the command line describes, print its size, and return the exit status."""
    forgive_output()
    parser = argparse.ArgumentParser(prog="make site", description="Builds the pages of the course.")
    parser.add_argument("numbers", nargs="*", help="the lessons to build, such as 05; without any: all")
    parser.add_argument("--out", type=path_of, help="the folder to write")
    parser.add_argument("--repository", help="owner/name on GitHub: the pages lead to Colab and Binder too")
    parser.add_argument("--ref", default="", help="the tag or the commit of the repository that Colab and Binder fetch")
    options = parser.parse_args(arguments)
    lessons = built_lessons()
    try:
        numbers = known_numbers(options.numbers, lessons)
        address = Address(options.repository, options.ref) if options.repository else None
    except (UnknownLesson, ValueError) as error:
        parser.error(str(error))
    out = options.out or SITE
    chosen = [lesson for lesson in lessons if not numbers or lesson.number in numbers]
    among = [lesson for lesson in lessons if lesson in chosen or (out / f"{lesson.name}.html").is_file()]
    here = [lesson for lesson in among if lesson.number in NUMBERS]
    fresh = out.with_name(f"{out.name}.new")
    try:
        build_site(fresh, chosen, here=here, address=address, among=among)
        _put(fresh, out, chosen if among != chosen else [])
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    if here:
        build_lite(out / FOLDER, [*here, *built_companions()])
        _say_size(out / FOLDER)
    if address is not None:
        write_for_colab(COLAB, [lesson for lesson in chosen if lesson not in here], address)
    _say_size(out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
