// The app of these benches.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes it and returns its path. Each path but `/` does something else than answer quickly. */
export function app({ home }) {
  const file = join(home, 'app.cjs');
  writeFileSync(file, source);
  return file;
}

const source = `const http = require('node:http');
const acts = {
  '/spin': function culprit() { for (;;); },
  // Each step is a turn of its own; only the collection takes long.
  '/collect': function grow(kept = []) {
    for (let at = 0; at < 300_000; at += 1) kept.push({ at, text: 'x' + at });
    const began = Date.now();
    gc();
    const took = Date.now() - began;
    if (took > 1_200 || kept.length > 9e6) console.log('collected ' + kept.length + ' objects in ' + took + ' ms');
    else setTimeout(grow, 100, kept);
  },
  '/busy'() { const began = Date.now(); while (Date.now() - began < 1_500); },
  '/print'() { for (let at = 0; at < 100; at += 1) setTimeout(() => process.stdout.write('x'.repeat(1e6) + '\\n'), at * 20); },
};
const until = Date.now() + Number(process.env.SLOW_START || 0);
while (Date.now() < until);
const server = http.createServer((request, response) => {
  response.setHeader('connection', 'close').end(String(process.pid));
  if (acts[request.url]) response.on('finish', () => acts[request.url]());
});
server.listen(process.env.PORT || 0);
`;
