// node connections.mjs <port> <seconds>: a fixed number of clients, each request on a connection of its own.
import { connect } from 'node:net';

const [port, seconds] = process.argv.slice(2).map(Number);
const clients = 32;
const latencies = [];
let failed = 0;
let stopped = false;

function request() {
  return new Promise((resolve) => {
    const begin = process.hrtime.bigint();
    let answer = '';
    const socket = connect(port, '127.0.0.1', () =>
      socket.write('GET / HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n'),
    );
    socket.setEncoding('latin1').on('data', (chunk) => (answer += chunk));
    socket.on('error', () => {});
    socket.on('close', () => {
      if (answer.startsWith('HTTP/1.1 200')) latencies.push(Number(process.hrtime.bigint() - begin) / 1e6);
      else failed += 1;
      resolve();
    });
  });
}

async function client() {
  while (!stopped) await request();
}

const begin = Date.now();
setTimeout(() => (stopped = true), seconds * 1000);
await Promise.all(Array.from({ length: clients }, client));
const elapsed = (Date.now() - begin) / 1000;
latencies.sort((a, b) => a - b);
process.send({ rate: latencies.length / elapsed, p99: latencies[Math.floor(latencies.length * 0.99)], failed });
