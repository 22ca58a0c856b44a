// Asking Python: what is sent when, and what is said when nobody answers.

import assert from "node:assert/strict";
import test from "node:test";

import { conversation } from "../../../utils/show/page/conversation.js";

/** A conversation without a page; `page` says what the page around it is, as JupyterLab's classes do. */
function talking(t, page = {}) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const state = { answer: "", sent: [], updates: 0, said: "" };
  const model = { get: (name) => state[name], send: (request) => state.sent.push(request) };
  const root = {
    closest: (selector) => {
      if (selector === ".jp-OutputArea") return page.connected === undefined ? null : {};
      return page.status && { querySelector: () => ({ dataset: { status: page.status } }) };
    },
    parentElement: { classList: { contains: () => !page.connected } },
    toggleAttribute: (name, on) => (state[name] = on),
  };
  const classes = new Set();
  const notice = {
    matches: () => false,
    classList: { toggle: (name, on) => (on ? classes.add(name) : classes.delete(name)), contains: (n) => classes.has(n) },
    textContent: "",
  };
  const talk = conversation({ model, id: "page", root, notice, update: () => state.updates++ });
  const answered = (id = state.sent.at(-1).id) => {
    state.answer = id;
    talk.hear();
  };
  return { talk, state, notice, answered, pass: (ms) => t.mock.timers.tick(ms) };
}

test("one request is under way, and of those that wait only the newest of each key is sent", (t) => {
  const { talk, state, answered } = talking(t);
  for (const value of [1, 2, 3]) talk.ask("a", { value });
  talk.ask("b", { value: 9 });
  assert.deepEqual(state.sent.map(({ key, value }) => [key, value]), [["a", 1]]);
  assert.equal(talk.pending("a").value, 3);
  answered();
  assert.equal(talk.pending("a").value, 3);
  answered();
  assert.equal(state["data-asking"], true);
  answered();
  assert.equal(state["data-asking"], false);
  assert.deepEqual(state.sent.map(({ key, value }) => [key, value]), [["a", 1], ["a", 3], ["b", 9]]);
  assert.equal(new Set(state.sent.map(({ id }) => id)).size, 3);
  assert.equal(talk.pending("a") ?? talk.pending("b"), undefined);
});

test("where nobody has ever answered the numbers are called saved, and what was asked is dropped", (t) => {
  const { talk, state, notice, pass } = talking(t);
  talk.ask("a", { value: 1 });
  pass(1999);
  assert.equal(notice.textContent, "");
  pass(1);
  assert.match(notice.textContent, /^These are saved numbers\./);
  assert.equal(talk.pending("a"), undefined);
  assert.equal(state.updates, 1);
});

test("once Python has answered it is given time, and told to be computing", (t) => {
  const { talk, notice, answered, pass } = talking(t, { connected: true, status: "busy" });
  talk.ask("a", { value: 1 });
  answered();
  talk.ask("a", { value: 2 });
  pass(2000);
  assert.equal(notice.textContent, "Python is computing …");
  assert.equal(talk.pending("a").value, 2);
  answered();
  assert.equal(notice.textContent, "");
  talk.ask("a", { value: 3 });
  pass(20000);
  assert.match(notice.textContent, /^Python does not answer/);
});

test("who is idle and does not answer has been restarted", (t) => {
  const { talk, notice, answered, pass } = talking(t, { connected: true, status: "idle" });
  talk.ask("a", { value: 1 });
  answered();
  talk.ask("a", { value: 2 });
  pass(2000);
  pass(500);
  assert.match(notice.textContent, /^Python has been restarted/);
});

test("a page that has lost Python asks nothing", (t) => {
  const { talk, state, notice } = talking(t, { connected: false });
  talk.ask("a", { value: 1 });
  assert.deepEqual(state.sent, []);
  assert.match(notice.textContent, /^These are saved numbers\./);
});
