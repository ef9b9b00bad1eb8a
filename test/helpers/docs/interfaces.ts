// The command line, its failures, and the two ways to speak with the daemon.
import { renderCommandHelp, renderHelp } from '../../../src/cli/args/options.ts';
import { entries } from '../../../src/cli/entries.ts';
import { methods } from '../../../src/ipc/protocol.ts';
import { rpcCodes } from '../../../src/ipc/rpc.ts';
import { catalogue } from '../../../src/shared/errors.ts';
import { protocolVersion } from '../../../src/shared/version.ts';
import { apiMethods } from '../api-methods.ts';
import { code, page, session, table } from './markdown.ts';

export async function commandLine(): Promise<string> {
  const shown = entries.filter(({ hidden }) => !hidden);
  const helps = await Promise.all(shown.map((entry) => renderCommandHelp(entry, 100, true)));
  return page('The command line', [
    `A target is a name, an id, a namespace, \`all\`, or a regular expression between slashes; several may be given. If a name and a
namespace are the same word, it means the name.

Only \`start\`, \`serve\`, \`resurrect\`, \`apply\`, and \`restart\` and \`reload\` of a config file launch the daemon. If none is running,
\`list\`, \`jlist\`, \`prettylist\` and \`kill\` print nothing or say so and exit with 0; the other commands exit with 4. Exit
codes are in [errors.md](errors.md). Ctrl-C ends a command with 130; the daemon finishes what it was asked to do.

With \`--json\` standard output holds one JSON value and nothing else. A failure is one line of JSON on standard error,
\`{"error":{"code":...,"message":...,"hint":...}}\`, with \`output\` if the app printed something about it.

Colours and table frames are for terminals. \`NO_COLOR\` switches colours off; \`FORCE_COLOR\` switches them on, also in a pipe.
With \`TERM=dumb\` or \`CI\` there are no frames, and no progress is shown.`,
    code(await renderHelp(entries, 100)),
    ...shown.map(({ names: [name] }, index) => `## nsv ${name}\n\n${code(helps[index] ?? '')}`),
  ]);
}

function exitCodes(): string {
  const failures = Object.entries(catalogue());
  const codes = [...new Set(failures.map(([, { exitCode }]) => exitCode))].sort((a, b) => a - b);
  const namesOf = (code: number) =>
    failures.filter(([, { exitCode }]) => exitCode === code).map(([name]) => `\`${name}\``);
  const rows = codes.map((code) => [String(code), namesOf(code).join(', ')]);
  return table(
    ['exit code', 'meaning'],
    [['0', 'success'], ...rows, ['130', 'Ctrl-C; the daemon finishes what it was asked to do']],
  );
}

export function errors(): string {
  const rows = Object.entries(catalogue()).map(([name, row]) => [
    `\`${name}\``,
    String(row.exitCode),
    `\`${(row.message as (params: unknown) => string)(placeholders)}\``,
    row.hint.replaceAll('<', '&lt;'),
  ]);
  return page('Errors and exit codes', [
    'Each failure has a code, an exit code, a message and a hint that says what to do.',
    '## Exit codes',
    exitCodes(),
    '## Errors',
    table(['code', 'exit code', 'message', 'what to do'], rows),
  ]);
}

/** Any parameter reads as its own name; as a list of one text it can be joined as well as printed. */
const placeholders = new Proxy({}, { get: (_, name) => [`<${String(name)}>`] });

export function protocol(): string {
  const rows = Object.entries(methods).map(([name, { doc }]) => [`\`${name}\``, doc]);
  const standard = Object.entries(rpcCodes).map(([name, number]) => [String(number), name]);
  return page('The protocol', [
    `The daemon speaks JSON-RPC 2.0 (https://www.jsonrpc.org/specification), one message per line, on the Unix socket
\`$NSV_HOME/daemon.sock\` (default \`~/.nsv/daemon.sock\`). Only its owner may open it. You can try it by hand:`,
    '<!-- not run: needs socat, and somebody who types -->',
    session(`$ socat - UNIX-CONNECT:$HOME/.nsv/daemon.sock
{"jsonrpc":"2.0","method":"hello","params":{"protocol":${protocolVersion},"version":"...","pid":...}}
{"jsonrpc":"2.0","id":1,"method":"list","params":{"targets":["web"]}}
{"jsonrpc":"2.0","id":1,"result":[{"id":0,"name":"web",...}]}`),
    `The first line that the daemon sends is the notification \`hello\`: the version of the protocol (this page: ${protocolVersion}), the
version of nsv, and the pid of the daemon. During a call it sends the notification \`progress\`, \`{"id":...,"text":...}\`, which
says what the call is waiting for, and repeats it every few seconds as a sign of life. The notification \`notice\` has the same form:
what the caller should know after the call, such as a process that had to be killed. The reply comes after the effect, not before.

A connection can have 1,024 calls under way. A client that leaves more than 2 MB unread is disconnected.

After \`follow\` the daemon sends the notification \`event\` for each thing that happens; the reply comes when the daemon ends.

With \`"journal":true\` it first sends the notification \`following\`, \`{"file":...,"bytes":...}\`: the inode of \`events.jsonl\` in the home and its
length. All earlier events are before that place in the [journal](events.md), and all later ones are sent.

During \`inspect\` it sends the notification \`part\`, \`{"key":...,"text":...}\`, for each piece of the answer, which is JSON when all pieces are
joined. \`key\` is that of the call. The next piece is sent when the previous one was read. A process whose event loop is blocked takes
up no question: then the result says \`"answered":false\` after \`timeout\` milliseconds.`,
    `A request may have a member \`caller\` beside \`params\`: who asks, for the [journal](events.md). All of its fields may be missing:
\`user\`, \`uid\`, \`terminal\`, \`host\`, \`pid\` and \`command\`.`,
    '## Methods',
    `\`targets\` is a list of names, ids, namespaces or \`all\`; an empty list means all. The daemon refuses regular expressions: nsv's own
clients ask for the list and send the names that match. Parameters and results are typed in
\`src/ipc/protocol.ts\` and \`src/ipc/views.ts\`. The result of \`describe\` has \`apps\` and \`environments\`: \`spec.env\` of an app is
an index into the latter.`,
    table(['method', 'what it does'], rows),
    '## Errors',
    `A failure of nsv has the code ${rpcCodes.application} and in \`data\` the fields \`code\`, \`message\`, \`hint\` and sometimes \`output\`:
see [errors.md](errors.md).`,
    table(['code', 'meaning'], standard),
  ]);
}

/** By the method of the API; several calls of the wire may share one. */
export function apiTable(): string {
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
