// What the controls of a page of the site answer, asked without a browser: node answers.cjs PAGE.html, and as JSON for
// each control a list of [what its state is set to, what is asked then]. Prints as JSON what the state is afterwards.

const { readFileSync } = require("node:fs");
const { dirname, join } = require("node:path");
const { runInThisContext } = require("node:vm");

const [page] = process.argv.slice(2);
const course = (globalThis.course = { scripts: {}, controls: new Map(), remember: () => {}, recall: () => null });
for (const [, name] of readFileSync(page, "utf8").matchAll(/<script (?:defer )?src="([^"]+)"/g)) {
  if (/(page|questions)\.js$/.test(name)) continue; // those that need a page
  runInThisContext(readFileSync(join(dirname(page), name), "utf8"));
  if (name.endsWith("host.js")) course.show = (id, told) => course.controls.set(id, course.model(told));
}

const told = "values panels preset refusals row text switched_off whole_output result page refusal".split(" ");

async function main() {
  const asked = JSON.parse(readFileSync(0, "utf8"));
  const models = [...course.controls.values()];
  const answers = [];
  for (const [i, questions] of asked.entries()) {
    const given = [];
    for (const [state, request] of questions) {
      for (const [name, value] of Object.entries(state)) models[i].set(name, value);
      await models[i].send({ ...request, id: `${given.length}` });
      const known = told.filter((name) => models[i].get(name) !== undefined);
      const after = Object.fromEntries(known.map((name) => [name, models[i].get(name)]));
      const weights = models[i].get("result_weights");
      if (weights) after.result_weights = Buffer.from(weights.buffer, weights.byteOffset, weights.byteLength).toString("base64");
      given.push(after);
    }
    answers.push(given);
  }
  process.stdout.write(JSON.stringify(answers));
}

main();
