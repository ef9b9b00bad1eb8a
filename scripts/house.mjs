// Measures the source: node scripts/house.mjs [directory of a checkout]
//
// test/architecture.test.ts uses the same functions. Files are parsed, not run, so any commit can be measured.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/**
 * Each file of `src`, parsed.
 * @param {string} root
 */
export function readHouse(root) {
  const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return new Map(
    names
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join('src', name))
      .sort()
      .map((file) => [file, parse(file, readFileSync(join(root, file), 'utf8'))]),
  );
}

/** @param {string} file @param {string} text */
export function parse(file, text) {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

/** The files that a file imports, each once. `values`: without those of types only, which are gone when the program runs. */
export function importsOf(source, { values = false } = {}) {
  const found = new Set();
  visit(source, (node) => {
    const target = targetOf(node, values);
    if (target?.startsWith('.')) found.add(join(dirname(source.fileName), target));
  });
  return [...found].filter((target) => target.startsWith('src/'));
}

/** The names that a file declares and exports. */
export function exportsOf(source) {
  const isExported = ({ modifiers = [] }) => modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  return source.statements
    .filter(isExported)
    .flatMap((statement) => (statement.name ? [statement] : statement.declarationList.declarations))
    .map(({ name }) => name.text);
}

function targetOf(node, values) {
  if (ts.isImportDeclaration(node))
    return values && isOfTypes(node.importClause) ? undefined : node.moduleSpecifier.text;
  if (ts.isExportDeclaration(node) && node.moduleSpecifier)
    return values && (node.isTypeOnly || areTypes(node.exportClause)) ? undefined : node.moduleSpecifier.text;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0]?.text;
  if (ts.isImportTypeNode(node)) return values ? undefined : node.argument.literal?.text;
  return undefined;
}

function isOfTypes(clause) {
  if (!clause) return false;
  return clause.isTypeOnly || (!clause.name && areTypes(clause.namedBindings));
}

function areTypes(clause) {
  const names = clause && (ts.isNamedImports(clause) || ts.isNamedExports(clause)) ? clause.elements : [];
  return names.length > 0 && names.every(({ isTypeOnly }) => isTypeOnly);
}

/** Groups of files that import each other, directly or not. */
export function circlesIn(graph) {
  const within = new Map([...graph.keys()].map((file) => [file, reachable(graph, file)]));
  const circles = [];
  const seen = new Set();
  for (const [file, targets] of within) {
    if (seen.has(file) || !targets.has(file)) continue;
    const circle = [...targets].filter((other) => within.get(other)?.has(file));
    for (const member of circle) seen.add(member);
    circles.push(circle.sort());
  }
  return circles;
}

function reachable(graph, from) {
  const found = new Set();
  const rest = [from];
  for (let file = rest.pop(); file !== undefined; file = rest.pop()) {
    for (const target of graph.get(file) ?? []) {
      if (found.has(target)) continue;
      found.add(target);
      rest.push(target);
    }
  }
  return found;
}

/** Lines of each function and method that has a body. An arrow function of one expression is none. */
export function functionsIn(source) {
  const found = [];
  visit(source, (node) => {
    if (!ts.isFunctionLike(node) || !node.body || !ts.isBlock(node.body)) return;
    const from = source.getLineAndCharacterOfPosition(node.getStart()).line;
    const to = source.getLineAndCharacterOfPosition(node.end).line;
    found.push({ name: node.name?.getText() ?? '', file: source.fileName, line: from + 1, lines: to - from + 1 });
  });
  return found;
}

/** Names of the variables of a module that are assigned more than once. */
export function moduleStateIn(source) {
  return source.statements.flatMap((statement) =>
    ts.isVariableStatement(statement) && statement.declarationList.flags & ts.NodeFlags.Let
      ? statement.declarationList.declarations.map(({ name }) => name.getText())
      : [],
  );
}

/** Lines that have code, without comments and blanks. */
export function codeLinesIn(source) {
  const lines = new Set();
  visit(source, (node) => {
    if (node.getChildCount() > 0) return;
    const from = source.getLineAndCharacterOfPosition(node.getStart()).line;
    const to = source.getLineAndCharacterOfPosition(node.end).line;
    if (node.getWidth() > 0) for (let line = from; line <= to; line += 1) lines.add(line);
  });
  return lines.size;
}

function visit(node, look) {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}

/** The figures of a checkout. */
export function measureHouse(root) {
  const house = readHouse(root);
  const sources = [...house.values()];
  const lengths = sources.flatMap(functionsIn).sort((one, other) => one.lines - other.lines);
  const at = (share) => lengths[Math.floor((lengths.length - 1) * share)];
  const circles = (values) =>
    circlesIn(new Map([...house].map(([file, source]) => [file, importsOf(source, { values })])));
  const count = (groups) => `${groups.length} with ${groups.flat().length} files`;
  const inRoom = (room, source) => source.fileName.startsWith(`src/${room}/`);
  return {
    files: sources.length,
    lines: sum(sources, ({ text }) => text.split('\n').length - 1),
    'lines of code': sum(sources, codeLinesIn),
    functions: lengths.length,
    'lines of a function, median': at(0.5).lines,
    'lines of a function, 90 %': at(0.9).lines,
    'longest function': `${at(1).lines} (${at(1).file}:${at(1).line})`,
    'circles by value': count(circles(true)),
    'circles with types': count(circles(false)),
    'module variables of the worker': sum(
      sources.filter((source) => inRoom('worker', source)),
      (source) => moduleStateIn(source).length,
    ),
    'files that name the kill timeout': sources.filter(({ text }) => /killTimeout/.test(text)).length,
    'files of the daemon and the worker that compare kinds of states': sources.filter(
      (source) => /\bstate\.kind\b/.test(source.text) && (inRoom('daemon', source) || inRoom('run', source)),
    ).length,
  };
}

function sum(list, value) {
  return list.reduce((total, item) => total + value(item), 0);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..');
  for (const [name, figure] of Object.entries(measureHouse(root))) console.log(`${name}: ${figure}`);
}
