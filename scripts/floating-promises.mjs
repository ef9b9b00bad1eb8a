// Finds promises that nobody owns: an unhandled rejection ends the daemon. Biome's own rules (`noFloatingPromises` and
// `noMisusedPromises`, still in its nursery) do not know the types of Node and of packages: they miss `writeFile(...)`,
// `emitter.on('end', async () => ...)` and `setTimeout(async () => ...)`.
//
// A promise has an owner when it is awaited, returned or kept, or when a rejection is handled: `.catch(handler)`, or `.then` with
// two handlers. `void` counts where a comment on its line or above says why it cannot reject. A function that returns a promise
// must not be passed where nobody takes it (a listener, a timer), unless the whole function is one try statement with a catch.
import { relative } from 'node:path';
import ts from 'typescript';

let checker;

/** One line for each in the files of the program below `folder`. */
export function floatingPromises(program, folder) {
  checker = program.getTypeChecker();
  const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder));
  return files.flatMap(problemsOf);
}

function problemsOf(file) {
  const problems = [];
  visit(file);
  return problems;

  function visit(node) {
    const problem = problemOf(node, file);
    if (problem) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      problems.push(`${relative(process.cwd(), file.fileName)}:${line + 1}: ${problem}`);
    }
    ts.forEachChild(node, visit);
  }
}

function problemOf(node, file) {
  if (ts.isExpressionStatement(node))
    return isFloating(node.expression) && 'nobody handles a rejection of this promise';
  if (ts.isVoidExpression(node))
    return isFloating(node.expression) && !hasComment(node, file) && 'no comment says why this promise cannot reject';
  const isValue = ts.isFunctionExpression(node) || ts.isArrowFunction(node) || isPassedByName(node);
  return isValue && isTakenForVoid(node) && !catchesAll(node) && 'nobody takes the promise that this function returns';
}

function isFloating(expression) {
  if (ts.isParenthesizedExpression(expression)) return isFloating(expression.expression);
  if (ts.isAwaitExpression(expression) || ts.isVoidExpression(expression) || isAssignment(expression)) return false;
  return isPromise(checker.getTypeAtLocation(expression)) && !isHandled(expression);
}

function isAssignment(expression) {
  if (!ts.isBinaryExpression(expression)) return false;
  const { kind } = expression.operatorToken;
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}

function isHandled(expression) {
  if (!ts.isCallExpression(expression) || !ts.isPropertyAccessExpression(expression.expression)) return false;
  const method = expression.expression.name.text;
  return (
    (method === 'catch' && expression.arguments.length === 1) ||
    (method === 'then' && expression.arguments.length === 2)
  );
}

function isPromise(type) {
  if (type.isUnion()) return type.types.some(isPromise);
  const then = type.getProperty('then');
  return then !== undefined && checker.getTypeOfSymbol(then).getCallSignatures().length > 0;
}

function isPassedByName(node) {
  return (
    (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node)) &&
    (ts.isCallExpression(node.parent) || ts.isNewExpression(node.parent)) &&
    node.parent.arguments?.includes(node)
  );
}

function isTakenForVoid(node) {
  const expected = checker.getContextualType(node);
  const returned = expected ? returnTypesOf(checker.getNonNullableType(expected)) : [];
  const isForNobody = returned.length > 0 && returned.every(({ flags }) => (flags & ts.TypeFlags.Void) !== 0);
  if (!isForNobody || !returnTypesOf(checker.getTypeAtLocation(node)).some(isPromise)) return false;
  return !(ts.isArrowFunction(node) && !ts.isBlock(node.body) && isHandled(node.body));
}

function returnTypesOf(type) {
  if (type.isUnion()) return type.types.flatMap(returnTypesOf);
  return type.getCallSignatures().map((signature) => signature.getReturnType());
}

function catchesAll(node) {
  if (!node.body || !ts.isBlock(node.body)) return false;
  const [statement, ...others] = node.body.statements;
  return others.length === 0 && statement && ts.isTryStatement(statement) && statement.catchClause !== undefined;
}

function hasComment(node, file) {
  const lines = file.text.split('\n');
  const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
  return lines[line].includes('//') || /^\s*(\/\/|\*\/|\/?\*)/.test(lines[line - 1] ?? '');
}
