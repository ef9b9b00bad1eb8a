// Sends the question of `nsv list` and its likes before their code is loaded, so that the daemon works on the answer meanwhile.
import { type AskedAhead, askFirst } from '../ipc/ahead.ts';
import type { MethodName } from '../ipc/protocol.ts';
import { dial } from '../os/socket-file.ts';
import { isTrustedPath } from '../os/trust/trusted-path.ts';
import { homePaths } from '../shared/paths.ts';

/** What these commands ask first when they have no arguments, by each of their names (entries.ts). None of it changes anything. */
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
 * Resolves to undefined if the command asks something else, no daemon is running, or the home is not safe. The command then connects
 * itself, and reports what is wrong.
 */
export async function askAhead(argv: readonly string[]): Promise<AskedAhead | undefined> {
  const [word, ...rest] = argv[0] === 'pm2' ? argv.slice(1) : argv;
  const method = questions.get(word);
  if (!method || rest.some((argument) => argument !== '--json')) return undefined;
  try {
    const { socket: file } = homePaths();
    if (!isTrustedPath(file, { uid: process.geteuid?.() ?? 0, sticky: 'new' })) return undefined;
    const socket = await dial(file, 0);
    // Until the command listens, an error would be uncaught, and the open socket would keep the process alive.
    socket.unref().on('error', () => undefined);
    return askFirst(socket, method, { targets: [] });
  } catch {
    return undefined;
  }
}
