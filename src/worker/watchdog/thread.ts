// The thread: has the main thread run what the daemon sends, by the inspector, although its event loop is blocked. The descriptor comes
// from the daemon, and nobody else has the other end.
import { Session } from 'node:inspector';
import { Socket } from 'node:net';
import { workerData } from 'node:worker_threads';

const pipe = new Socket({ fd: workerData as number });
let received = '';

pipe.setEncoding('utf8').on('data', (text: string) => {
  const lines = (received + text).split('\n');
  received = lines.pop()!;
  for (const line of lines) answer(JSON.parse(line) as string);
});
// The daemon is gone. The next one has no such pipe.
pipe.on('error', () => {});

/** Connected only for the moment: an app that nobody asks runs as without it. */
function answer(expression: string): void {
  const session = new Session();
  session.connectToMainThread();
  session.post('Runtime.evaluate', { expression, returnByValue: true, silent: true }, (_error, evaluated) => {
    session.disconnect();
    pipe.write(`${JSON.stringify({ value: evaluated?.result.value })}\n`);
  });
}
