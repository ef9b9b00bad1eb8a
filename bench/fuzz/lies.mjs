// What a process can say on the worker channel: valid messages, mutated ones, and bytes.
import { chunked, mutated, mutatedBytes, oddText, oddValue } from './mutate.mjs';

const cmd = 'NODE_NSV';
const addresses = [
  { kind: 'tcp', host: '127.0.0.1', port: 0, index: 0 },
  { kind: 'tcp', port: 0, index: 1 },
  { kind: 'pipe', path: '\0nsv-fuzz', index: 0 },
  { kind: 'udp4', host: '127.0.0.1', port: 0, index: 0 },
];

const samples = [
  (r) => ({ cmd, type: 'bind', seq: r.below(5), address: r.pick(addresses) }),
  (r) => ({ cmd, type: 'listening', key: `tcp|127.0.0.1|0||${r.below(3)}`, address: '127.0.0.1:80' }),
  (r) => ({ cmd, type: 'closed', key: `tcp|127.0.0.1|0||${r.below(3)}` }),
  (r) => ({ cmd, type: 'accepted', seq: r.below(9) }),
  (r) => ({ cmd, type: 'declined', seq: r.below(9) }),
  () => ({ cmd, type: 'wants-messages' }),
  () => ({ cmd, type: 'draining' }),
  (r) => ({ cmd, type: 'in-flight', count: r.below(9) }),
  () => ({ cmd, type: 'request-limit', requests: 5 }),
  () => ({ cmd, type: 'leaving', reason: 'x' }),
  () => ({ cmd, type: 'reconnected', mark: 'x', pid: 1 }),
  (r) => ({ cmd, type: 'return-socket', key: 'tcp|*|0||0', mode: r.pick(['handle', 'rr']), origin: r.pick([0, 'x']) }),
  () => ({ cmd, type: 'sockets-returned' }),
  () => 'ready',
  () => 'new_worker',
  () => ({ act: 'suicide' }),
  (r) => ({ type: 'process:msg', data: oddValue(r) }),
  (r) => oddValue(r),
  // Node's own.
  () => ({ cmd: 'NODE_HANDLE_ACK' }),
  () => ({ cmd: 'NODE_HANDLE_NACK' }),
  () => ({ cmd: 'NODE_HANDLE', type: 'net.Socket', msg: 'x' }),
  (r) => ({
    cmd: 'NODE_HANDLE',
    type: r.pick(['net.Server', 'net.Native', 'dgram.Native', 'dgram.Socket', 'x', '__proto__']),
    key: 'x',
  }),
  () => ({ cmd: 'NODE_SOCKET_GET_COUNT', key: 'x' }),
  () => ({ cmd: 'NODE_CLUSTER', act: 'queryServer' }),
];

/** One case. Messages of kinds that end the process are rarer. */
export async function actsOf(random, { tell, write, handles }) {
  const sample = random.pick(samples)(random);
  const message = random.oneIn(3) ? sample : mutated({ sample }, random).sample;
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  switch (random.below(10)) {
    case 0:
      for (const chunk of chunked(mutatedBytes(bytes, random), random)) write(chunk);
      // What was left open would swallow the messages that follow.
      if (random.oneIn(2)) write(Buffer.from('\n'));
      break;
    case 1:
      write(
        random.pick([
          Buffer.from('hello\n'),
          random.bytes(random.between(1, 300)),
          Buffer.from(`${oddText(random)}\n`),
        ]),
      );
      break;
    case 2:
      write(
        Buffer.from(
          random.pick([
            `${'['.repeat(100_000)}\n`,
            `${'{"a":'.repeat(50_000)}\n`,
            `"${'x'.repeat(1_000_000)}"\n`,
            '\n'.repeat(1_000),
          ]),
        ),
      );
      break;
    case 3:
      // A line without an end.
      if (random.oneIn(20)) for (let count = 0; count < 256; count += 1) write(Buffer.alloc(65_536, 'x'));
      break;
    case 4:
      await withHandle(random, message, tell, handles);
      break;
    case 5:
      for (const chunk of chunked(bytes, random)) write(chunk);
      break;
    default:
      if (message !== undefined) await tell(message);
  }
}

async function withHandle(random, message, tell, { createServer, createSocket }) {
  const isUdp = random.oneIn(3);
  const handle = isUdp ? createSocket('udp4') : createServer();
  await new Promise((resolve) =>
    isUdp ? handle.bind(0, '127.0.0.1', resolve) : handle.listen(0, '127.0.0.1', resolve),
  );
  if (message !== undefined && message !== null) await tell(message, handle);
  handle.close();
}
