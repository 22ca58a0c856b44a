"""A page without JupyterLab: a widget's own JavaScript, its styles and its saved state; Python behind it if wanted."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import anywidget
from playwright.sync_api import Locator, Page

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>A widget by itself</title><style>{css}</style></head>
<body style="margin:0"><div id="place"></div>
<script type="module">
const state = {state};
for (const [name, data] of Object.entries({buffers})) {{
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  state[name] = new DataView(bytes.buffer);
}}
const listeners = new Set();
const model = {{
  get: (name) => state[name],
  set: (name, value) => {{
    if (state[name] === value) return;
    state[name] = value;
    for (const listener of listeners) listener();
  }},
  take: (news) => {{
    Object.assign(state, news);
    for (const listener of listeners) listener();
  }},
  save_changes: () => {{}},
  send: () => {{ throw new Error("nobody listens"); }},
  on: (_, listener) => listeners.add(listener),
  off: (_, listener) => listeners.delete(listener),
}};
const source = new TextDecoder().decode(Uint8Array.from(atob("{esm}"), (letter) => letter.charCodeAt(0)));
const address = URL.createObjectURL(new Blob([source], {{ type: "text/javascript" }}));
const {{ default: widget }} = await import(address);
widget.render({{ model, el: document.getElementById("place") }});
Object.assign(window, {{ model, widget }});
</script></body></html>
"""


_PYTHON = """() => {
  model.send = async (request) => {
    const { state, buffers } = await python(request);
    for (const [name, data] of Object.entries(buffers)) {
      state[name] = new DataView(Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)).buffer);
    }
    model.take(state);
  };
}"""


def put_python_behind(page: Page, widget: anywidget.AnyWidget) -> list[dict]:
    """From now on `widget` answers what its page on `page` asks, in one message; returns the list of what was asked."""
    asked = []

    def serve(request: dict) -> dict:
        asked.append(request)
        sent: list[tuple[dict, list]] = []
        widget._send = lambda msg, buffers=None: sent.append((msg, buffers or []))
        widget._handle_custom_msg(request, [])
        ((message, buffers),) = sent
        names = [path[0] for path in message["buffer_paths"]]
        data = {name: base64.b64encode(buffer).decode() for name, buffer in zip(names, buffers, strict=True)}
        return {"state": message["state"], "buffers": data}

    page.expose_function("python", serve)
    page.wait_for_function("() => window.model")  # the page is loaded before its script has ended
    page.evaluate(_PYTHON)
    return asked


def shown_alone(page: Page, widget: anywidget.AnyWidget, folder: Path, python: bool = True) -> Locator:
    """A control on a page of its own in `folder`, with Python behind it or without."""
    (folder / "page.html").write_text(plain_page(widget), encoding="utf-8")
    page.goto(f"file://{folder}/page.html")
    root = page.locator(".course-control")
    root.wait_for()
    if python:
        put_python_behind(page, widget)
    return root


def plain_page(widget: anywidget.AnyWidget) -> str:
    """The HTML of a page that shows `widget` as it is saved."""
    state = widget.get_state(drop_defaults=False)
    hidden = [name for name in state if name.startswith("_") or name in ("layout", "tabbable", "tooltip")]
    plain = {name: value for name, value in state.items() if name not in hidden}
    buffers = {
        name: base64.b64encode(plain.pop(name)).decode()
        for name, value in list(plain.items())
        if isinstance(value, bytes | memoryview)
    }
    return _PAGE.format(
        css=state["_css"],
        state=json.dumps(plain, allow_nan=False).replace("</", "<\\/"),
        buffers=json.dumps(buffers),
        esm=base64.b64encode(state["_esm"].encode()).decode(),
    )
