// The daemon's socket: valid, mutated and raw messages on connections that behave badly.
import { join } from 'node:path';
import { Finding } from '../finding.mjs';
import { chunked, mutated, mutatedBytes, oddText, oddValue } from '../mutate.mjs';
import { appOf, harmless, oddApp } from '../specs.mjs';
import { callOnce, Wire } from '../wire.mjs';

/** Milliseconds for replies to calls that change no app. */
const timeout = 15_000;

const readers = ['ping', 'list', 'describe', 'logs', 'follow'];
/** Methods whose targets are apps of the fuzzer only. `kill` is never called: it does what it says. */
const changers = [
  'rotateLogs', 'reopenLogs', 'launch', 'start', 'stop', 'restart', 'reload', 'update', 'delete', 'scale', 'signal', 'send',
  'trigger', 'reset', 'save', 'resurrect', 'upgrade',
]; // biome-ignore format: a list

const samples = {
  ping: () => ({}),
  resurrect: () => ({}),
  save: (r) => r.pick([{}, { auto: false }]),
  launch: (r, place) => ({
    app: r.oneIn(2) ? appOf(r, place) : oddApp(r, place),
    wait: r.oneIn(4),
    force: r.oneIn(2),
    active: !r.oneIn(4),
  }),
  update: (r, place) => ({
    app: oddApp(r, place),
    how: r.pick(['reload', 'restart']),
    parallel: 1,
    renewEnv: r.oneIn(2),
  }),
  start: (r) => ({ targets: ours(r), wait: false }),
  restart: (r) => ({ targets: ours(r), ...(r.oneIn(3) && { env: { A: oddText(r) } }) }),
  reload: (r, place) => ({
    targets: ours(r),
    parallel: 2,
    ...(r.oneIn(3) && { program: { script: '/bin/sleep', cwd: place } }),
  }),
  scale: (r) => ({ targets: ours(r), instances: r.pick([0, 1, 2, '+1', '-1', '-9', 10_001, 1.5, '++1']) }),
  signal: (r) => ({ targets: ours(r), signal: r.pick(['SIGUSR1', 'HUP', 15, 'SIGWHAT', 99]) }),
  send: (r) => ({ targets: ours(r), text: r.pick(['a', oddText(r), 'x'.repeat(100_000)]) }),
  trigger: (r) => ({ targets: ours(r), action: oddText(r), param: oddText(r) }),
  upgrade: (r) => ({ command: [r.pick(['/bin/false', '/nonexistent'])], env: { A: oddText(r) } }),
};

function ours(random) {
  return random.pick([['fuzz-0'], ['fuzz-1', 'fuzz-2'], ['fuzz-nobody'], ['fuzz-0', 'fuzz-0']]);
}

function targets(random) {
  // Takes for ever on the name of a canary.
  if (random.oneIn(300)) return ['/(a+)+$/'];
  return random.pick([
    [],
    ['all'],
    ['0'],
    ['canary-node'],
    ['/./'],
    ['/('],
    [oddText(random)],
    ['default'],
    ['99999999999'],
  ]);
}

/** A call that does no harm, whatever is mutated in it. */
function callOf(random, place, id) {
  const method = random.oneIn(2) ? random.pick(readers) : random.pick(changers);
  const isReader = readers.includes(method);
  const valid = samples[method]?.(random, place) ?? { targets: isReader ? targets(random) : ours(random) };
  const message = { jsonrpc: '2.0', id, method, params: valid };
  if (random.oneIn(2)) return message;
  const odd = mutated(message, random);
  // Mutation may have copied the name of a method, or a word for another one.
  if (odd.method !== method && (odd.method === 'kill' || changers.includes(odd.method))) odd.method = 'nothing';
  return isReader && odd.method === method ? odd : confined(odd, method, place);
}

function confined(message, method, place) {
  const { params } = message;
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return message;
  if (Array.isArray(params.targets))
    params.targets = params.targets.map((word) =>
      typeof word === 'string' && word !== '' ? word.replace(/^(?!fuzz)/, 'fuzz-x') : word,
    );
  // An empty list, or none, means all apps.
  if (!params.targets || params.targets.length === 0) params.targets = ['fuzz-0'];
  if (params.app) params.app = harmless(params.app, place);
  if (params.program) params.program = { script: '/bin/sleep', cwd: place };
  if (method === 'scale' && Number(params.instances) > 3 && Number(params.instances) <= 10_000) params.instances = 2;
  if (method === 'scale' && /^\+\d+$/.test(params.instances)) params.instances = '+1';
  if (method === 'upgrade' && Array.isArray(params.command)) params.command = ['/bin/false'];
  return message;
}

const line = (message) => Buffer.from(`${JSON.stringify(message)}\n`);

const acts = {
  /** Calls in one go, in any pieces. */
  async calls(random, { stage, place, errors }) {
    const calls = Array.from({ length: random.between(1, 12) }, (_, index) => callOf(random, place, index + 1));
    const batch = random.oneIn(4) && calls.length > 1;
    const bytes = batch ? line(calls) : Buffer.concat(calls.map(line));
    const wire = await speak(stage, chunked(bytes, random));
    const due = calls.filter((call) => isDue(call) && calls.filter(({ id }) => id === call.id).length === 1);
    if (!batch) await answered(wire, due, calls);
    if (random.oneIn(3)) wire.end();
    expectReplies(wire, errors, calls);
    return wire;
  },

  async garbage(random, { stage, errors }) {
    const bytes = random.bytes(random.pick([1, 10, 1_000, 100_000]));
    const wire = await speak(stage, chunked(bytes, random));
    if (random.oneIn(2)) wire.end();
    expectReplies(wire, errors, bytes);
    return wire;
  },

  /** Messages that change nothing, with wrong bytes. */
  async broken(random, { stage, errors }) {
    const whole = line({ jsonrpc: '2.0', id: 1, method: random.pick(readers), params: { targets: targets(random) } });
    const bytes = mutatedBytes(whole, random);
    const wire = await speak(stage, chunked(bytes, random));
    expectReplies(wire, errors, bytes);
    return wire;
  },

  /** Long lines, deep nesting, many small things. */
  async huge(random, { stage, errors }) {
    const many = random.pick([1_000, 50_000, 1_000_000]);
    const text = random.pick([
      () => '['.repeat(many),
      () => `${'['.repeat(many)}${']'.repeat(many)}\n`,
      () => `${'{"a":'.repeat(many)}1${'}'.repeat(many)}\n`,
      () => `[${'1,'.repeat(many)}1]\n`,
      () =>
        `{"jsonrpc":"2.0","id":1,"method":"list","params":{"targets":[${'"x",'.repeat(Math.min(many, 50_000))}"y"]}}\n`,
      () => `{"jsonrpc":"2.0","id":"${'i'.repeat(many)}","method":"${'m'.repeat(many)}"}\n`,
      () => '\n'.repeat(many),
      () => 'x'.repeat(5 * 1024 * 1024),
      () =>
        `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'describe', params: { targets: [oddText(random), oddValue(random)] } })}\n`.repeat(
          200,
        ),
    ])();
    const wire = await speak(stage, [Buffer.from(text)]);
    expectReplies(wire, errors, text.slice(0, 200));
    return wire;
  },

  /** Never reads what it asked for. */
  async mute(random, { stage }) {
    const wire = await speak(stage, []);
    wire.mute();
    const method = random.pick(['describe', 'list', 'follow']);
    wire.send(
      line({ jsonrpc: '2.0', id: 1, method, params: { targets: [] } })
        .toString()
        .repeat(random.pick([1, 100, 2_000])),
    );
    return wire;
  },

  /** A message that has begun, on connections that stay. */
  async half(random, { stage }) {
    const wires = await Promise.all(Array.from({ length: random.between(1, 60) }, () => speak(stage, [])));
    for (const wire of wires) {
      wire.send(random.pick(['{', '[', ' ', '{"jsonrpc":"2.0",', 'x'.repeat(random.pick([10, 100_000]))]));
      if (random.oneIn(4)) wire.end();
    }
    return wires;
  },

  /** Connections that end in the middle. */
  async gone(random, { stage, place }) {
    const wires = await Promise.all(Array.from({ length: random.between(1, 40) }, () => speak(stage, [])));
    for (const wire of wires) {
      wire.send(line(callOf(random, place, 1)).subarray(0, random.pick([5, 1e6])));
      if (random.oneIn(2)) wire.destroy();
    }
    return wires;
  },
};

async function speak(stage, chunks) {
  const wire = new Wire(stage.socket);
  for (const chunk of chunks) {
    wire.send(chunk);
    // So that they are read one by one, mostly.
    if (chunks.length < 50) await new Promise(setImmediate);
  }
  return wire;
}

/** Whether it is a request, and one that changes nothing and has an end. */
function isDue({ jsonrpc, id, method, params }) {
  const isRequest = jsonrpc === '2.0' && (params === undefined || (typeof params === 'object' && params !== null));
  return isRequest && ['number', 'string'].includes(typeof id) && method !== 'follow' && readers.includes(method);
}

/** What only reads has a reply, unless the daemon has closed the connection with a reason. */
async function answered(wire, due, input) {
  for (const { id, method } of due)
    await wire.when(
      () => wire.isClosed || wire.replyTo(id),
      timeout,
      `no reply to "${method}" within ${timeout / 1_000} s`,
      input,
    );
}

/** Each message of the daemon is one of the protocol, and tells of no bug. */
function expectReplies(wire, errors, input) {
  for (const message of wire.received.flat()) {
    if (message?.jsonrpc !== '2.0') throw new Finding(`not a message of JSON-RPC: ${JSON.stringify(message)}`, input);
    const code = message.error?.data?.code;
    if (message.error && !errors.has(code)) throw new Finding(`an error that is not in the catalogue: ${code}`, input);
    if (code === 'INTERNAL') throw new Finding(`a bug: ${message.error.message}`, input);
  }
}

/** Connections of earlier cases that are still open, at most. */
const mostOpen = 600;

export const socket = {
  needsDaemon: true,
  async prepare({ stage, direct }) {
    const place = join(stage.directory, 'apps');
    return { place, errors: new Set(Object.keys(direct.catalogue())), open: [] };
  },
  async play(random, index, { stage, own }) {
    const act =
      acts[
        random.pick(['calls', 'calls', 'calls', 'calls', 'garbage', 'broken', 'broken', 'huge', 'mute', 'half', 'gone'])
      ];
    own.open.push(...[await act(random, { stage, ...own })].flat());
    // Some stay open for long.
    while (own.open.length > mostOpen || (own.open.length > 0 && random.oneIn(3))) own.open.shift().destroy();
    if (index % 100 === 99) await callOnce(stage.socket, 'save', { auto: false }, timeout);
  },
  async tidy({ stage, own }) {
    for (const wire of own.open.splice(0)) wire.destroy();
    await stage.deleteOthers();
  },
};
