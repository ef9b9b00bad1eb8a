// node kept-connections.mjs <port> <seconds> <connections>: opened at once, each asks again as soon as it has its answer.
import { connect } from 'node:net';

const [port, seconds, connections] = process.argv.slice(2).map(Number);
const question = 'GET / HTTP/1.1\r\nHost: bench\r\n\r\n';
const latencies = [];
let failed = 0;
let stopped = false;

for (let count = 0; count < connections; count += 1) {
  const socket = connect(port, '127.0.0.1');
  let begin = 0;
  const ask = () => {
    begin = performance.now();
    socket.write(question);
  };
  socket.on('connect', ask);
  socket.on('data', () => {
    latencies.push(performance.now() - begin);
    if (!stopped) ask();
  });
  socket.on('error', () => (failed += 1));
}
setTimeout(() => {
  stopped = true;
  latencies.sort((a, b) => a - b);
  const p99 = latencies[Math.floor(latencies.length * 0.99)];
  process.send({ rate: latencies.length / seconds, p99, failed }, () => process.exit());
}, seconds * 1000);
