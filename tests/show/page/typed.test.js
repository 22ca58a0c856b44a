// Typed text for the translator of the start page: unknown words are carried over, and nothing is refused.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { nearest, putBack, readingsOf, unknownIn } from "../../../utils/show/page/typed.js";

const KNOWS = new Set("i a in the do not is my name live love have and but cat cats hello you it can we . ? ! , 's".split(" "));
const AND_CATS = " and the cat".repeat(12);

test("a text becomes sentences of known words, and of words that are carried", () => {
  const read = (text) => readingsOf(text, KNOWS, 17).map(({ tokens, carried }) => [tokens.join(" "), carried]);
  const expected = {
    "I live in New York": [["i live in x1 .", { x1: ["New York"] }]],
    "My na\u00adme is Zoe\u0308.": [["my name is x1 .", { x1: ["Zo\u00eb"] }]],
    "i don't love the zebra, the yak and the gnu and the ibex and the oryx": [
      ["i do not love the x1 , the x2 and the x3 and the x4 .", { x1: ["zebra"], x2: ["yak"], x3: ["gnu"], x4: ["ibex"] }],
      ["and the x1 .", { x1: ["oryx"] }],
    ],
    "  Is the zebra in the zoo": [["is the x1 in the x2 ?", { x1: ["zebra"], x2: ["zoo"] }]],
    "CAN'T we": [["can not we ?", {}]],
    "Zoë's cat; the cat’s name ,": [["x1 's cat .", { x1: ["Zoë"] }], ["the cat 's name .", {}]],
    "it's a cat!! hello…": [["it is a cat !", {}], ["hello .", {}]],
    "(10:30) «zebra» cats": [["x1 x2 cats .", { x1: ["10:30"], x2: ["zebra"] }]],
    "x1 is a zebra zebra": [["x1 is a x2 x2 .", { x1: ["x1"], x2: ["zebra"] }]],
    "I have ice cream": [["i have x1 .", { x1: ["ice-cream"] }]],
    سلام: [["x1 .", { x1: ["سلام"] }]],
    [`I love the cat${AND_CATS}`]: [
      [`i love the cat${AND_CATS.slice(0, 36)} .`, {}],
      [`${AND_CATS.slice(1, 60)} .`, {}],
      [`${AND_CATS.slice(1, 48)} .`, {}],
    ],
    [`I love the cat${", the cat".repeat(5)}`]: [
      [`i love the cat${" , the cat".repeat(3)} .`, {}],
      ["the cat , the cat .", {}],
    ],
  };
  for (const [text, readings] of Object.entries(expected)) assert.deepEqual(read(text), readings);
});

test("only a text without a word is refused", () => {
  for (const text of ["", "…", " !", "😀"]) assert.throws(() => readingsOf(text, KNOWS), /at least one word/);
});

test("unknown words are named as they were typed, with the nearest known ones", () => {
  assert.deepEqual(unknownIn("My Zebra, my Zebra is in the zoo.", KNOWS), ["Zebra", "zoo"]);
  assert.deepEqual(unknownIn("", KNOWS), []);
  assert.deepEqual(nearest("Drnks", ["water", "drinks", "drink", "drums"]), ["drinks"]);
});

test("no carried word is lost, and none is added that was not typed", () => {
  const back = (written, tokens, carried) =>
    putBack(written.split(" ").map((word) => ({ word, first: [["x1", 1]] })), tokens.split(" "), carried);
  const steps = back("ich x1 . <end>", "i x1 x2 .", { x1: ["Zoë"], x2: ["yak"] });
  assert.deepEqual(steps.map(({ word }) => word), ["ich", "Zoë", "yak", ".", "<end>"]);
  assert.deepEqual(steps.map(({ carried }) => carried), [false, true, true, false, false]);
  assert.deepEqual([steps[0].first, steps[2].weights], [[["Zoë", 1]], [0, 0, 1, 0]]);
  assert.deepEqual(back("ich x2 . <end>", "i .", {}).map(({ word }) => word), ["ich", ".", "<end>"]);
  assert.deepEqual(back("x1 x1 x1", "x1 x1", { x1: ["yak", "gnu"] }).map(({ word }) => word), ["yak", "gnu", "gnu"]);
});

test("the shipped translators know what strangers type", () => {
  const strangers = readFileSync(new URL("../../data/strangers.txt", import.meta.url), "utf8").trim();
  const saved = readFileSync(new URL("../../../lessons/00_start_here/first_sentences.json", import.meta.url), "utf8");
  for (const { reads } of Object.values(JSON.parse(saved))) {
    assert.ok(unknownIn(strangers, new Set([...reads, "'s"])).length < 5); // of some 500 words
  }
});
