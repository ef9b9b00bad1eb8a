// node asking-connections.mjs <port> <connections> <think> <bursts> <seconds>: connections that are opened in bursts, 300 ms after each
// other; each asks again so many milliseconds after its answer, or at once for 0. A think time of "alone": they are opened one by one,
// every 10 ms, and ask once.
import { connect } from 'node:net';

const [port, connections, think, bursts, seconds] = process.argv.slice(2).map(Number);
const perBurst = Math.ceil(connections / bursts);
const question = 'GET / HTTP/1.1\r\nHost: bench\r\n\r\n';
const counts = new Map();
const latencies = [];
let failed = 0;
let isOver = false;

function open() {
  const socket = connect(port, '127.0.0.1');
  let begin = performance.now();
  let isFirst = true;
  const ask = () => {
    if (!isOver) socket.write(question);
  };
  const askAgain = () => {
    begin = performance.now();
    ask();
  };
  socket.on('connect', ask);
  socket.on('error', () => (failed += 1));
  socket.on('data', (bytes) => {
    latencies.push(performance.now() - begin);
    const answer = bytes.toString().split('\r\n\r\n').at(-1);
    if (isFirst) counts.set(answer, (counts.get(answer) ?? 0) + 1);
    isFirst = false;
    if (Number.isNaN(think)) return;
    if (think === 0) askAgain();
    else setTimeout(askAgain, think);
  });
}

for (let count = 0; count < connections; count += 1)
  if (Number.isNaN(think)) setTimeout(open, count * 10);
  else setTimeout(open, Math.floor(count / perBurst) * 300);
setTimeout(() => {
  isOver = true;
  latencies.sort((one, other) => one - other);
  const answered = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const p99 = latencies[Math.floor(latencies.length * 0.99)];
  const rate = latencies.length / seconds;
  const result = { busiest: Math.max(...counts.values()), p99, rate, unanswered: connections - answered, failed };
  process.send(result, () => process.exit());
}, seconds * 1000);
