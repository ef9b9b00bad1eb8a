// One of two workers spins for ever under load: when is it replaced, and is a new connection lost?
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHome, freePort } from '../measure.mjs';
import { app } from './app.mjs';

/** One request on a connection of its own. */
function ask(port, path = '/') {
  return new Promise((resolve, reject) => {
    const asked = http.get({ port, path, agent: false, timeout: 10_000 }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part) => (body += part));
      response.on('end', () => resolve(body)).on('error', reject);
    });
    asked.on('error', reject).on('timeout', () => asked.destroy(new Error('hung')));
  });
}

export async function run(clients = 8) {
  const home = createHome();
  const port = await freePort();
  process.env.PORT = home.env.PORT = String(port);
  try {
    home.nsv('start', app(home), '--name', 'web', '-i', '2', '--watchdog', '2s');
    const lines = () =>
      readFileSync(join(home.home, 'daemon.log'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    const blocked = Number(await ask(port, '/spin'));
    const began = Date.now();
    let [answers, lost, isOver] = [0, 0, false];
    const visit = async () => {
      while (!isOver) {
        await ask(port).then(
          () => (answers += 1),
          () => (lost += 1),
        );
        await sleep(2);
      }
    };
    const visits = Array.from({ length: Number(clients) }, visit);
    const about = (message) => lines().find(({ msg, pid }) => msg === message && pid === blocked);
    while (!about('exit')) await sleep(50);
    isOver = true;
    await Promise.all(visits);
    const successor = lines().findLast(({ msg }) => msg === 'online');
    console.log(
      `Node ${process.version}: a successor was online ${successor.time - began} ms after the loop was blocked,`,
    );
    console.log(
      `  the process was gone after ${about('exit').time - began} ms; ${answers} new connections answered, ${lost} lost`,
    );
    console.log(`  ${about('blocked')?.reason}`);
  } finally {
    home.dispose();
  }
}
