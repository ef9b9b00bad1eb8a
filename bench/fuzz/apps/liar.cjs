// An app that tells its daemon nonsense over Node's IPC channel. One case after the other, the number of which it keeps in a file, so
// that the process that follows it goes on with the next one.
const { readFileSync, writeFileSync, writeSync } = require('node:fs');
const { createServer, createConnection } = require('node:net');
const { createSocket } = require('node:dgram');

const { FUZZ_SEED, FUZZ_FILE, FUZZ_ROOT, FUZZ_CASES } = process.env;
const seed = Number(FUZZ_SEED);
const progress = `${FUZZ_FILE}-${process.env.NSV_INSTANCE}`;
/** Node's channel. */
const channel = 3;

async function main() {
  const { Random } = await import(`${FUZZ_ROOT}/random.mjs`);
  const { actsOf } = await import(`${FUZZ_ROOT}/lies.mjs`);
  process.on('disconnect', () => process.exit(0));
  const tools = { tell, write, handles: { createServer, createConnection, createSocket } };
  for (;;) {
    const index = next();
    if (index >= Number(FUZZ_CASES)) return setInterval(() => {}, 1_000_000);
    // Instances share the cases: each has every n-th.
    await actsOf(new Random(seed, index * 8 + Number(process.env.NSV_INSTANCE)), tools);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

function next() {
  let last = -1;
  try {
    last = Number(readFileSync(progress, 'utf8'));
  } catch {
    // The first one.
  }
  writeFileSync(progress, String(last + 1));
  return last + 1;
}

function tell(message, handle) {
  return new Promise((resolve) => {
    if (!process.connected) process.exit(0);
    process.send(message, handle, () => resolve());
  });
}

/** Raw bytes, between the messages that Node writes. */
function write(bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(channel, bytes, at);
    } catch (error) {
      if (error.code === 'EAGAIN') continue;
      process.exit(0);
    }
  }
}

main();
