// The declarations of `import 'nsv'`: the very text of the interfaces in src/, with what the tables add.
import { join } from 'node:path';
import ts from 'typescript';
import { deathCauses } from '../../src/ipc/records/deaths.ts';
import { catalogue } from '../../src/shared/errors.ts';

const root = join(import.meta.dirname, '..', '..');

/** `read` gives the text of a file of the project. */
export function apiTypesText(read: (name: string) => string): string {
  const codes = Object.keys(catalogue()).map((code) => `  | '${code}'`);
  const parts = [
    '// Written by `npm run docs` from src/api/nsv.ts, src/ipc/views.ts and the tables: change those.',
    '/// <reference lib="esnext.disposable" />',
    "import type { AppConfig, Config } from '../config/index.cjs';",
    '/** Connects to the daemon, and launches it where none runs. Rejects with an NsvError. */\nexport declare function connect(options?: ConnectOptions): Promise<Nsv>;',
    declarationsOf(read('src/api/nsv.ts')),
    `/** What can go wrong: docs/errors.md. */\nexport type ErrorCode =\n${codes.join('\n')};`,
    nsvError,
    signal,
    declarationsOf(read('src/ipc/views.ts')),
    declarationsOf(read('src/ipc/journal/event-views.ts')),
    declarationsOf(read('src/ipc/app/views.ts')),
    deathCause,
    interfaceIn(read('src/ipc/records/deaths.ts'), 'DeathFrame'),
    appSpecText(),
  ];
  return `${parts.join('\n\n').replaceAll('NodeJS.Signals', 'Signal')}\n`;
}

const signal = `/** The name of a signal, such as SIGUSR2. */
export type Signal = \`SIG\${string}\`;`;

const deathCause = `/** What ended a process: docs/deaths.md. */
export type DeathCause =
${Object.keys(deathCauses)
  .map((cause) => `  | '${cause}'`)
  .join('\n')};`;

const nsvError = `export declare class NsvError extends Error {
  readonly name: 'NsvError';
  readonly code: ErrorCode;
  /** What to do. */
  readonly hint: string;
  /** The last lines that the app has printed. */
  readonly output?: string[];
  /** What the message has no room for. */
  readonly details?: string[];
  /** Of the command that meets it. */
  readonly exitCode: number;
}`;

/** Without what stands above the first declaration: its imports, and what the file is about. */
function declarationsOf(source: string): string {
  return source.replace(/^[\s\S]*?\n\n(?=\/\*\*|export)/, '').trimEnd();
}

function interfaceIn(source: string, name: string): string {
  return new RegExp(`^/\\*\\*(?:(?!\\*/)[^])*\\*/\nexport interface ${name} \\{[^]*?^\\}`, 'm').exec(source)?.[0] ?? '';
}

/** `AppSpec`, member by member, and the types that it names: only the compiler knows what the parsers of the table give. */
function appSpecText(): string {
  const file = join(root, 'src', 'config', 'app-spec.ts');
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const program = ts.createProgram([file], ts.parseJsonConfigFileContent(config, ts.sys, root).options);
  const checker = program.getTypeChecker();
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!);
  const spec = checker.getDeclaredTypeOfSymbol(exported.find(({ name }) => name === 'AppSpec')!);
  const types = spec.getProperties().map((member) => [member.name, typeText(checker, member)] as const);
  const lines = types.map(([name, text]) => `  ${name}: ${text};`);
  const named = new Set(types.flatMap(([, text]) => text.match(/\b[A-Z]\w+/g) ?? []));
  const statements = program.getSourceFiles().flatMap(({ fileName, statements }) => {
    return fileName.startsWith(join(root, 'src')) ? statements : [];
  });
  const declarations = statements.filter((node) => ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node));
  const parents = declarations.flatMap((node) => (named.has(node.name.text) ? extendedBy(node) : []));
  const declared = declarations.filter(({ name: { text } }) => named.has(text) || parents.includes(text));
  return [
    `/** The settings of an app as they are in force: docs/config.md. */\nexport interface AppSpec {\n${lines.join('\n')}\n}`,
    ...declared.map((node) => node.getFullText().trim()),
  ].join('\n\n');
}

/** The interfaces that an interface extends. */
function extendedBy(node: ts.TypeAliasDeclaration | ts.InterfaceDeclaration): string[] {
  const clauses = (ts.isInterfaceDeclaration(node) && node.heritageClauses) || [];
  return clauses.flatMap(({ types }) => types.map(({ expression }) => expression.getText()));
}

function typeText(checker: ts.TypeChecker, member: ts.Symbol): string {
  const text = checker.typeToString(checker.getTypeOfSymbol(member), undefined, ts.TypeFormatFlags.NoTruncation);
  return text.replace(/^(?:NodeJS\.)?Signals$/, 'NodeJS.Signals');
}
