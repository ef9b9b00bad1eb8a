// Pauses a Node process that was started with --inspect, as a debugger does. Needs the WebSocket of Node 22 or newer.
import { readFileSync } from 'node:fs';

/** `errors`: the error log in which the address is. Resolves with a function that lets it go on. */
export async function pauseByDebugger(errors) {
  const [address] = /ws:\/\/127\.0\.0\.1:\d+\/[\w-]+(?=\s)/.exec(readFileSync(errors, 'utf8'));
  if (!globalThis.WebSocket) throw new Error('needs Node 22 or newer');
  const socket = new WebSocket(address);
  await new Promise((resolve) => (socket.onopen = resolve));
  const paused = new Promise((resolve) => {
    socket.onmessage = ({ data }) => data.includes('Debugger.paused') && resolve();
  });
  const messages = [['Debugger.enable'], ['Debugger.pause'], ['Runtime.evaluate', { expression: 'Date()' }]];
  for (const [id, [method, params]] of messages.entries()) socket.send(JSON.stringify({ id: id + 1, method, params }));
  await paused;
  return () => socket.close();
}
