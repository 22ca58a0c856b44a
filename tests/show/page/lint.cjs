// What a linter would say of the modules named: names that nothing gives or nobody takes, and old ways of writing.
// It reads them with the acorn that node has inside, so that nothing need be fetched: node --expose-internals lint.cjs …

const { readFileSync } = require("node:fs");
const { basename } = require("node:path");
const { parse } = require("internal/deps/acorn/acorn/dist/acorn");
const { full } = require("internal/deps/acorn/acorn-walk/dist/walk");

const BROWSER =
  "AbortController DOMRect Event MutationObserver Node NodeFilter ResizeObserver document getComputedStyle location " +
  "requestAnimationFrame TextDecoder URLSearchParams window";
const LANGUAGE =
  "Array BigInt Boolean DataView Date Error Float32Array Infinity JSON Map Math Number Object RegExp Set String " +
  "Uint16Array Uint32Array Uint8Array WeakMap";
const MORE = "NaN Promise clearTimeout decodeURIComponent parseFloat parseInt setTimeout undefined";
const GLOBALS = new Set(`${BROWSER} ${LANGUAGE} ${MORE}`.split(" "));

/** The names in a pattern such as { a, b: [c = 1, ...d] }. */
function inPattern(pattern) {
  if (!pattern || pattern.type === "MemberExpression") return [];
  if (pattern.type === "Identifier") return [pattern.name];
  const parts = pattern.properties ?? pattern.elements ?? [pattern.left ?? pattern.argument];
  return parts.flatMap((part) => inPattern(part?.type === "Property" ? part.value : part));
}

/** The names that a declaration gives, as a variable, function, parameter or import. */
function given(node) {
  if (node.type === "VariableDeclarator") return inPattern(node.id);
  if (node.type === "CatchClause") return inPattern(node.param);
  if (node.type === "ImportDeclaration") return node.specifiers.map(({ local }) => local.name);
  return [...(node.type === "FunctionDeclaration" ? [node.id.name] : []), ...(node.params ?? []).flatMap(inPattern)];
}

function taken(node, type) {
  if (node.type === "AssignmentExpression") return inPattern(node.left);
  return node.type === "Identifier" && type === "Identifier" ? [node.name] : [];
}

const exportsOf = ({ declaration }) => (declaration.declarations ?? [declaration]).flatMap(({ id }) => inPattern(id));

const modules = process.argv.slice(2).map((path) => {
  const [gives, takes, exports, imports, said] = [new Set(), new Set(), new Set(), new Set(), []];
  const tree = parse(readFileSync(path, "utf8"), { ecmaVersion: "latest", sourceType: "module", locations: true });
  full(tree, (node, _, type) => {
    for (const name of given(node)) gives.add(name);
    for (const name of taken(node, type)) takes.add(name);
    if (node.type === "ExportNamedDeclaration") for (const name of exportsOf(node)) exports.add(name);
    if (node.type === "ImportDeclaration") for (const { imported } of node.specifiers) imports.add(imported?.name);
    const old = node.kind === "var" ? "var" : ["==", "!="].includes(node.operator) && node.operator;
    if (old) said.push(`line ${node.loc.start.line}: ${old}`);
  });
  for (const name of takes) if (!gives.has(name) && !GLOBALS.has(name)) said.push(`nothing gives “${name}”`);
  for (const name of gives) {
    if (!takes.has(name) && !exports.has(name) && name !== "_") said.push(`nobody takes “${name}”`);
  }
  return { name: basename(path), exports, imports, said };
});

for (const { name, exports, said } of modules) {
  const lonely = [...exports].filter((one) => !modules.some(({ imports }) => imports.has(one)));
  for (const complaint of [...said, ...lonely.map((one) => `nobody imports “${one}”`)]) console.log(`${name}: ${complaint}`);
}
