// The pages of docs/ that are made from tables. `npm run docs` writes them; test/docs.test.ts compares.

import { renderCommandHelp, renderHelp } from '../../src/cli/args/options.ts';
import { entries } from '../../src/cli/entries.ts';
import { settingText } from '../../src/cli/render/setting.ts';
import type { FieldName } from '../../src/config/app-spec.ts';
import { optionName } from '../../src/config/app-spec.ts';
import { fileKeys, snakeCase } from '../../src/config/file/keys.ts';
import { leftOutOfApp, leftOutOfFile } from '../../src/config/file/left-out.ts';
import { schemaText, typesText } from '../../src/config/file/schema.ts';
import { type Field, fields } from '../../src/config/options/fields.ts';
import { eventTypes, kinds, next } from '../../src/daemon/process/lifecycle.ts';
import type { EventType, Kind, LifecycleEvent, State } from '../../src/daemon/process/state.ts';
import { methods } from '../../src/ipc/protocol.ts';
import { rpcCodes } from '../../src/ipc/rpc.ts';
import { bindings } from '../../src/monit/keys.ts';
import { catalogue } from '../../src/shared/errors.ts';
import { protocolVersion } from '../../src/shared/version.ts';
import { apiMethods } from './api-methods.ts';
import { apiTypesText } from './api-types.ts';
import { contextOf } from './supervised.ts';

/** File names with their texts. What is written by hand comes from `read`, with its tables made anew. */
export async function pages(read: (name: string) => string): Promise<Record<string, string>> {
  return {
    'README.md': withTables(read('README.md'), {
      commands: await commandTable(),
      options: optionTable(),
      'exit codes': exitCodes(),
    }),
    'docs/api.md': withTables(read('docs/api.md'), { methods: apiTable() }),
    'docs/architecture.md': withTables(read('docs/architecture.md'), { lifecycle: lifecycle() }),
    'docs/cli.md': await commandLine(),
    'docs/config-file.md': withTables(read('docs/config-file.md'), { keys: fileKeyTable(), 'left out': leftOut() }),
    'api/index.d.cts': apiTypesText(read),
    'config/index.d.cts': typesText(),
    'config/schema.json': schemaText(),
    'docs/monit.md': withTables(read('docs/monit.md'), { keys: keyTable() }),
    'docs/config.md': config(),
    'docs/errors.md': errors(),
    'docs/protocol.md': protocol(),
  };
}

const generated = '<!-- Written by `npm run docs` from the tables in src/: change those. -->';

/** Replaces what stands between `<!-- name: ... -->` and `<!-- /name -->`. */
function withTables(text: string, tables: Record<string, string>): string {
  return Object.entries(tables).reduce(
    (page, [name, rows]) =>
      page.replace(new RegExp(`(<!-- ${name}:.*-->\n)[^]*?(<!-- /${name} -->)`), `$1\n${rows}\n\n$2`),
    text,
  );
}

async function commandTable(): Promise<string> {
  const shown = entries.filter(({ hidden }) => !hidden);
  const rows = await Promise.all(
    shown.map(async ({ names, load }) => [names.map((name) => `\`${name}\``).join(', '), (await load()).summary]),
  );
  return table(['command', 'what it does'], rows);
}

function optionTable(): string {
  const rows = optionRows.filter(([, flag]) => flag !== '');
  return table(
    ['option', 'default', 'meaning'],
    rows.map(([, flag = '', otherwise = '', doc = '']) => [flag, otherwise, doc]),
  );
}

function exitCodes(): string {
  const failures = Object.entries(catalogue);
  const codes = [...new Set(failures.map(([, { exitCode }]) => exitCode))].sort((a, b) => a - b);
  const namesOf = (code: number) =>
    failures.filter(([, { exitCode }]) => exitCode === code).map(([name]) => `\`${name}\``);
  const rows = codes.map((code) => [String(code), namesOf(code).join(', ')]);
  return table(
    ['exit code', 'meaning'],
    [['0', 'it is done'], ...rows, ['130', 'Ctrl-C; the daemon goes on with what it was asked']],
  );
}

/** The diagram of the state table, found by asking every cell. */
function lifecycle(): string {
  const arrows = kinds.flatMap((from) => eventTypes.flatMap((type) => arrowsFrom(from, type)));
  return ['```mermaid', 'stateDiagram-v2', ...new Set(arrows), '```'].join('\n');
}

/** One event of each kind, and of those whose outcome depends on the restart limit one for each outcome. */
const limits = [{ maxRestarts: 10 }, { maxRestarts: 0 }, { autorestart: false }, { restartDelay: 1 }];

function arrowsFrom(from: Kind, type: EventType): string[] {
  const base = { failures: 0, pid: 1, since: 0, deadline: 0, late: false, killAt: 0, gone: false, reason: '' };
  const exit = { code: 1, signal: null };
  const event = { type, exit, cause: '', detail: '', pid: 1, delay: 0, failures: 1 } as unknown as LifecycleEvent;
  return limits.flatMap((rules) =>
    (['rest', 'start', 'giveup'] as const).flatMap((kind) => {
      const state = { ...base, kind: from, after: { kind, reason: '' } } as State;
      // What a process was is what it will be: no arrow tells that.
      if (type === 'adopt') return [];
      try {
        const to = next(state, event, contextOf({ now: 1, rules })).state.kind;
        return to === from ? [] : [`  ${from} --> ${to}: ${type}`];
      } catch {
        return [];
      }
    }),
  );
}

async function commandLine(): Promise<string> {
  const shown = entries.filter(({ hidden }) => !hidden);
  const helps = await Promise.all(shown.map((entry) => renderCommandHelp(entry, 100)));
  return page('The command line', [
    `A target is a name, an id, a namespace, \`all\`, or a regular expression between slashes; several may be given. A name
wins over a namespace of the same word.

Only \`start\`, \`resurrect\`, \`apply\`, and \`restart\` and \`reload\` of a config file launch the daemon. Without one, \`list\`,
\`jlist\`, \`prettylist\` and \`kill\` have nothing to show or do and end with 0; the others end with 4. Exit codes are in
[errors.md](errors.md); Ctrl-C is 130, and the daemon goes on with
what it was asked.

With \`--json\` standard output holds one JSON value and nothing else. A failure is one line of JSON on standard error:
\`{"error":{"code":...,"message":...,"hint":...}}\`, with \`output\` where the app printed something about it.

Colours and frames are for terminals. \`NO_COLOR\` switches colours off, \`FORCE_COLOR\` on, in a pipe too.`,
    code(await renderHelp(100)),
    ...shown.map(({ names: [name] }, index) => `## nsv ${name}\n\n${code(helps[index] ?? '')}`),
  ]);
}

const optionRows = (Object.entries(fields) as [FieldName, Field<unknown>][]).map(([key, row]) => [
  `\`${key}\``,
  row.flag ? `\`${row.flag}\`` : '',
  row.shown ?? defaultOf(row),
  row.doc,
]);

function config(): string {
  return page('The settings of an app', [
    `Durations are milliseconds, or have a unit: 500, 5s, 1m, 2h, 1d. Sizes have one too: 300M, 1G. A setting without a
flag is filled in by \`nsv start\`, or said in a [config file](config-file.md).`,
    table(['name', 'flag', 'default', 'meaning'], optionRows),
    `\`--log <file>\` sets \`${optionName('outFile')}\` and \`${optionName('errorFile')}\` together,
\`--disable-logs\` sets both to \`/dev/null\`; \`--node-args\` is \`${optionName('interpreterArgs')}\`.`,
  ]);
}

function fileKeyTable(): string {
  const rows = Object.entries(fileKeys).map(([name, { also, doc, shown }]) => {
    const row = (fields as Record<string, Field<unknown>>)[name];
    return [`\`${snakeCase(name)}\``, also.join(', '), shown ?? (row && defaultOf(row)) ?? 'none', doc];
  });
  return table(['key', 'also', 'default', 'meaning'], rows);
}

function keyTable(): string {
  return table(
    ['key', 'what it does'],
    bindings.map(({ shown, about }) => [shown, about]),
  );
}

function leftOut(): string {
  const rows = Object.entries({ ...leftOutOfFile, ...leftOutOfApp }).map(([key, reason]) => [`\`${key}\``, reason]);
  return table(['key', 'why'], rows);
}

function defaultOf(row: Field<unknown>): string {
  if (!('default' in row)) return 'required';
  return settingText(row, row.default) || 'none';
}

function errors(): string {
  const rows = Object.entries(catalogue).map(([name, row]) => [
    `\`${name}\``,
    String(row.exitCode),
    `\`${(row.message as (params: unknown) => string)(placeholders)}\``,
    row.hint.replaceAll('<', '&lt;'),
  ]);
  return page('Errors and exit codes', [
    'Each failure has a code, an exit code, a message and a hint. Exit code 0 is success, 130 is Ctrl-C.',
    table(['code', 'exit code', 'message', 'what to do'], rows),
  ]);
}

/** Any parameter reads as its own name; as a list of one text it can be joined as well as printed. */
const placeholders = new Proxy({}, { get: (_, name) => [`<${String(name)}>`] });

function protocol(): string {
  const rows = Object.entries(methods).map(([name, { doc }]) => [`\`${name}\``, doc]);
  const standard = Object.entries(rpcCodes).map(([name, number]) => [String(number), name]);
  return page('The protocol', [
    `The daemon speaks JSON-RPC 2.0 (https://www.jsonrpc.org/specification), one message a line, on the Unix socket
\`$NSV_HOME/daemon.sock\` (default \`~/.nsv/daemon.sock\`), which only its owner may open. By hand:`,
    code(`$ socat - UNIX-CONNECT:$HOME/.nsv/daemon.sock
{"jsonrpc":"2.0","method":"hello","params":{"protocol":${protocolVersion},"version":"...","pid":...}}
{"jsonrpc":"2.0","id":1,"method":"list","params":{"targets":["web"]}}
{"jsonrpc":"2.0","id":1,"result":[{"id":0,"name":"web",...}]}`),
    `The daemon's first line is the notification \`hello\`: the version of the protocol (this page: ${protocolVersion}), of nsv, and its
pid. While a call is under way it sends the notification \`progress\`, \`{"id":...,"text":...}\`, with what the call
waits for, and again every few seconds as a sign of life. A reply is sent after the effect, not before. After
\`follow\` it sends the notification \`event\` for each thing that happens; the reply comes when the daemon ends. Who
leaves more than 256 KB unread is let go.`,
    '## Methods',
    `\`targets\` is a list of words as on the command line; where it is empty, all. Parameters and results are typed in
\`src/ipc/protocol.ts\` and \`src/ipc/views.ts\`.`,
    table(['method', 'what it does'], rows),
    '## Errors',
    `A failure of nsv has the code ${rpcCodes.application} and in \`data\` the fields \`code\`, \`message\`, \`hint\` and sometimes \`output\`:
[errors.md](errors.md) has them all.`,
    table(['code', 'meaning'], standard),
  ]);
}

/** By the method of the API; what several calls of the wire do is told together. */
function apiTable(): string {
  const names = [...new Set(Object.values(apiMethods))];
  const callsOf = (name: string) =>
    (Object.keys(apiMethods) as (keyof typeof apiMethods)[]).filter((call) => apiMethods[call] === name);
  return table(
    ['method', 'what it does'],
    names.map((name) => [
      `\`${name}\``,
      callsOf(name)
        .map((call) => methods[call].doc)
        .join('; or '),
    ]),
  );
}

function page(title: string, parts: string[]): string {
  return `${[generated, `# ${title}`, ...parts].join('\n\n')}\n`;
}

function code(text: string): string {
  return `\`\`\`\n${text}\n\`\`\``;
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
