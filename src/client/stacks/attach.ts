// Asks a process whose event loop is blocked for its stack. SIGUSR1 has Node open its inspector on a thread of its own; what is
// evaluated there runs in between, wherever V8 looks for interrupts: in loops and calls, in `Atomics.wait`, in regular
// expressions. Nothing is paused. Then the inspector is closed again.
//
// Only for a process that was started with `attachFlag` (ipc/worker-messages.ts) and has no use of its own for the signal.
import { closeSync, fstatSync, readSync } from 'node:fs';
import type { WebSocket } from 'ws';
import { handlesDebugSignal, listensOn, openPrivateErrorLog } from '../../os/blocked/inspector.ts';
import { type Identity, isSameProcess } from '../../os/proc.ts';
import { sendSignal } from '../../os/terminate.ts';
import { pause, realClock } from '../../shared/clock.ts';
import { positionsIn, stackQuestion } from './question.ts';
import type { Position } from './source-maps.ts';

/** Milliseconds for the address to be printed, and for the answer. */
const timeout = 5_000;
/** Milliseconds between looks into the error log. */
const interval = 10;
/** Bytes of a message. Whoever sends more is no inspector that was asked for a stack. */
const longestMessage = 16 * 1024 * 1024;
/** Bytes behind the end of the error log in which the address is expected. */
const searched = 64 * 1024;
const closeInspector = "process.getBuiltinModule('node:inspector').close()";

/**
 * Resolves with the stack, innermost call first; it is empty if the event loop has turned after all. Rejects with an error that
 * says why there is none. `signalled` is called with the length of the error log when the signal has been sent: whatever
 * comes then, the process has to close its inspector (the question `detach`).
 */
export async function stackByInspector(who: Identity, signalled: (from: number) => void): Promise<Position[]> {
  const log = openPrivateErrorLog(who.pid);
  try {
    if (!handlesDebugSignal(who.pid)) throw new Error('it does not handle SIGUSR1');
    const from = fstatSync(log).size;
    if (!sendSignal(who, 'SIGUSR1')) throw new Error('it has exited');
    signalled(from);
    const address = await addressIn(log, from, who);
    const { WebSocket } = await import('ws');
    return positionsIn(
      await evaluated(new WebSocket(address, { maxPayload: longestMessage, perMessageDeflate: false })),
    );
  } finally {
    closeSync(log);
  }
}

async function addressIn(log: number, from: number, who: Identity): Promise<URL> {
  const bytes = Buffer.alloc(searched);
  for (const deadline = realClock.now() + timeout; realClock.now() < deadline; ) {
    const text = bytes.toString('latin1', 0, readSync(log, bytes, 0, bytes.length, from));
    const printed = [...text.matchAll(/ws:\/\/127\.0\.0\.1:(\d+)\/[\w-]+(?=\s)/g)];
    const address = printed.find(([, port]) => listensOn(who.pid, Number(port)));
    if (address) return new URL(address[0]);
    if (!isSameProcess(who)) throw new Error('it has exited');
    await pause(realClock, interval);
  }
  throw new Error('it runs code outside of JavaScript, which cannot be interrupted');
}

interface Reply {
  id?: number;
  result?: { result?: { value?: unknown } };
}

/** What the process returns. The inspector is closed by then, if it can be. */
function evaluated(socket: WebSocket): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let value: unknown;
    const evaluate = (id: number, expression: string) => {
      const params = { expression, returnByValue: true, silent: true };
      socket.send(JSON.stringify({ id, method: 'Runtime.evaluate', params }));
    };
    // After a refusal, `error` comes before `close`.
    socket.on('open', () => evaluate(1, stackQuestion));
    socket.on('message', (text) => {
      const { id, result } = JSON.parse(String(text)) as Reply;
      if (id !== 1) return;
      value = result?.result?.value;
      evaluate(2, closeInspector);
    });
    socket.on('error', reject);
    // The process closes the connection with its inspector.
    socket.on('close', () => {
      cancel();
      if (value === undefined) reject(new Error('it closed the connection'));
      else resolve(value);
    });
    const cancel = realClock.after(timeout, () => socket.terminate());
  });
}
