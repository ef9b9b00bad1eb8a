// What `tsc --noEmit` reports, and promises without an owner in src: node scripts/types.mjs [tsconfig.json]
// One program for both: the compiler's work is most of it. An argument names another tsconfig.json, for tests.
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { floatingPromises } from './floating-promises.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const config = resolve(process.argv[2] ?? join(root, 'tsconfig.json'));
const owned = process.argv[2] ? dirname(config) : join(root, 'src');

const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (problem) => report([problem]) };
const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile(config, {}, host);
const program = ts.createProgram(fileNames, options);
report([...errors, ...ts.getPreEmitDiagnostics(program)]);
const floating = floatingPromises(program, `${owned}/`);
for (const problem of floating) console.error(problem);
if (floating.length > 0) console.error(`${floating.length} promises without an owner`);
process.exitCode = floating.length > 0 ? 1 : 0;

function report(problems) {
  if (problems.length === 0) return;
  const names = {
    getCurrentDirectory: () => process.cwd(),
    getCanonicalFileName: (name) => name,
    getNewLine: () => '\n',
  };
  console.error(ts.formatDiagnosticsWithColorAndContext(problems, names));
  process.exit(1);
}
