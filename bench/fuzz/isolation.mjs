// Runs the fuzzer where a bug that it finds can hurt nobody: with process ids of its own, so that a signal to -1 reaches only its own
// processes, and with a file system that is read-only but for its own directory. That takes root; without it the fuzzer runs as it is.
import { spawn, spawnSync } from 'node:child_process';

const namespaces = ['--pid', '--mount', '--fork', '--mount-proc', '--kill-child'];

/** A shell as process 1, which reaps what is left. */
const inside = `
mount --bind "$0" "$0" && mount -o remount,bind,ro / || exit 125
trap 'kill -TERM "$!"' TERM INT HUP
"$@" &
while wait "$!"; code=$?; kill -0 "$!" 2>/dev/null; do :; done
exit "$code"
`;

/** Runs Node with these words and `--directory`; resolves with the exit code. Ends everything when this process ends. */
export async function isolated(directory, words) {
  const command = [process.execPath, ...words, '--directory', directory];
  const canIsolate = process.platform === 'linux' && spawnSync('unshare', [...namespaces, 'true']).status === 0;
  if (!canIsolate) console.log('not isolated: no namespaces here without root');
  const [program, ...args] = canIsolate
    ? ['unshare', ...namespaces, 'sh', '-c', inside, directory, ...command]
    : command;
  const child = spawn(program, args, {
    stdio: 'inherit',
    env: { ...process.env, NSV_FUZZ_ISOLATED: canIsolate ? '1' : '' },
  });
  // All that is isolated dies with its first process.
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'])
    process.on(signal, () => child.kill(canIsolate ? 'SIGKILL' : signal));
  process.on('exit', () => child.kill('SIGKILL'));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}
