// Which keys a control keeps, and which the page around it gets.

import assert from "node:assert/strict";
import test from "node:test";

import { isForThePage } from "../../../utils/show/page/dom.js";

/** A key as a browser reports it, such as "Ctrl+Shift+c"; the letter it is in Latin can be another than what it types. */
function pressed(text, latin) {
  const parts = text.split("+");
  const key = parts.pop();
  const [ctrlKey, altKey, metaKey, shiftKey] = ["Ctrl", "Alt", "Meta", "Shift"].map((name) => parts.includes(name));
  const keyCode = (latin ?? key).toUpperCase().charCodeAt(0);
  return { key, keyCode, ctrlKey, altKey, metaKey, shiftKey };
}

test("saving, finding, the sidebars and running go on to the page", () => {
  const keys = ["Ctrl+s", "Meta+s", "Ctrl+Shift+S", "Ctrl+Shift+C", "Ctrl+b", "Alt+1", "F9"];
  for (const key of [...keys, "Shift+Enter", "Ctrl+Enter", "Alt+Enter"]) assert.ok(isForThePage(pressed(key)), key);
  assert.ok(isForThePage(pressed("Ctrl+س", "s")));
});

test("what types, edits or moves stays", () => {
  const plain = ["a", "d", "F", "Shift+A", "Enter", "Escape", "Tab", "ArrowUp", "Backspace"];
  const edits = ["Ctrl+a", "Ctrl+c", "Meta+v", "Ctrl+x", "Ctrl+z", "Ctrl+y", "Ctrl+Shift+Z", "Ctrl+ArrowLeft", "Ctrl+Home"];
  for (const key of [...plain, ...edits, "Ctrl+Alt+q"]) assert.ok(!isForThePage(pressed(key)), key);
  assert.ok(!isForThePage(pressed("Ctrl+ز", "c")));
});
