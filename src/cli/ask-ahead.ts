// Asks the daemon what `nsv list` and its likes ask, before their code is loaded: loading takes about as long as the answer.
import { type AskedAhead, askFirst } from '../ipc/ahead.ts';
import type { MethodName } from '../ipc/protocol.ts';
import { dial } from '../os/socket-file.ts';
import { isTrustedPath } from '../os/trust/trusted-path.ts';
import type { HomePaths } from '../shared/paths.ts';

/** What commands without arguments ask first, by all their names (entries.ts). These calls only look. */
const questions = new Map<string | undefined, MethodName>([
  ['list', 'list'],
  ['ls', 'list'],
  ['l', 'list'],
  ['ps', 'list'],
  ['status', 'list'],
  ['jlist', 'describe'],
  ['prettylist', 'describe'],
]);

/**
 * Resolves to undefined if the command asks something else, no daemon answers, or the home is not safe. Then the command connects itself,
 * and says what is wrong.
 */
export async function askAhead(argv: readonly string[], paths: () => HomePaths): Promise<AskedAhead | undefined> {
  const [word, ...rest] = argv[0] === 'pm2' ? argv.slice(1) : argv;
  const method = questions.get(word);
  if (!method || rest.some((argument) => argument !== '--json')) return undefined;
  try {
    const { socket: file } = paths();
    if (!isTrustedPath(file, { uid: process.geteuid?.() ?? 0, sticky: 'new' })) return undefined;
    const socket = await dial(file, 0);
    // What becomes of the connection is for the command to notice.
    socket.unref().on('error', () => undefined);
    return askFirst(socket, method, { targets: [] });
  } catch {
    return undefined;
  }
}
