// The table of scenarios. `must`: nsv may lose nothing. The others are there for comparison.
import {
  blocked,
  brokenRelease,
  idles,
  kills,
  nothing,
  reloads,
  reloadsUnkilled,
  restarts,
  scales,
  throwing,
} from './acts.mjs';
import { hasNginx } from './nginx.mjs';

const base = { supervisor: 'nsv', must: true, app: 'http', instances: 4, load: {}, options: [] };
const endless = ['--max-restarts', 'unlimited'];
const tls = { rate: 100 }; // a handshake costs a millisecond of CPU on either side
const h2 = { http2: true, clients: 16, streams: 4, rate: 100 };
const rare = { throwEvery: 1000 };
const rarer = { throwEvery: 2500 }; // Sentry takes seconds to load on a busy machine: others must be left meanwhile
const burst = { clients: 0, rate: 0 };
/** Node closes idle connections after 5 s, so all of these have a client that is about to use them. */
const thinking = { clients: 1000, think: [100, 6000], rate: 20, heedsHint: true };
/** A network of 50 ms each way. Once all clients have begun, there are four reloads. */
const far = { delay: 50, load: thinking, warmUp: 7000, times: 4 };
const deaf = { ...far, load: { ...thinking, heedsHint: false }, must: false };
/** They use a connection until the very end of its timeout, as older versions of Node's agent do. */
const exact = { ...far, load: { ...thinking, margin: 0 }, must: false };
/** So few that a process hears nothing for a second, while requests are on their way to it. */
const few = { clients: 24, think: [800, 3000], rate: 0 };
const register = ['--node-args', '--require @opentelemetry/auto-instrumentations-node/register'];
const posts = { bodyBytes: 1024 };

const ways = ['kernel', 'rr'];
const schedule = (way) => ['--schedule', way];

const own = {
  alone: { act: nothing },
  'alone-https': { act: nothing, app: 'https', tls: true, load: tls },
  'alone-h2': { act: nothing, app: 'http2', tls: true, load: h2 },

  reload: { act: reloads },
  'reload-post': { act: reloads, load: { bodyBytes: 16_384 } },
  'reload-https': { act: reloads, app: 'https', tls: true, load: tls },
  'reload-h2': { act: reloads, app: 'http2', tls: true, load: h2 },
  'reload-h2c': { act: reloads, app: 'http2', load: h2 },
  'reload-unix': { act: reloads, unix: true },
  'reload-one': { act: reloads, instances: 1 },

  restart: { act: restarts },
  // The app under load is the last to start again.
  'restart-all': { act: restarts, instances: 1, neighbours: 19 },

  'own-cluster': { act: reloads, app: 'own-cluster', instances: 2 },
  threads: { act: reloads, app: 'threads', instances: 2 },
  disconnect: { act: reloads, app: 'disconnect', instances: 2 },
  'disconnect-rr': { act: reloads, app: 'disconnect', instances: 2, options: schedule('rr') },
  'alone-far': { ...far, act: idles },
  'alone-far-deaf': { ...deaf, act: idles },
  'alone-far-exact': { ...exact, act: idles },
  'reload-far-exact': { ...exact, act: reloads },
  // Node keeps an idle connection for 6 s, of which it promises 5: with more time than that it closes them itself.
  'reload-far-exact-8s': { ...exact, must: true, act: reloads, options: ['--kill-timeout', '8s'] },
  'reload-far': { ...far, act: reloads },
  'reload-far-deaf': { ...deaf, act: reloads },
  'reload-far-deaf-8s': { ...deaf, act: reloads, options: ['--kill-timeout', '8s'] },
  'reload-far-few': { ...far, act: reloads, load: few, instances: 8, warmUp: 3000 },
  ...(hasNginx && {
    'reload-nginx': { act: reloads, nginx: true },
    'reload-nginx-post': { act: reloads, nginx: true, load: posts },
    'reload-nginx-far': { ...far, act: reloads, nginx: true, load: { ...thinking, rate: 0 } },
    'reload-nginx-far-post': { ...far, act: reloads, nginx: true, load: { ...thinking, ...posts, rate: 0 } },
  }),

  kill: { act: kills, instances: 2, options: endless },
  throw: { act: throwing, load: rare, options: endless },

  // Apps with a handler of their own for uncaught errors, which exits a little later.
  sentry: { act: throwing, app: 'sentry', load: rarer, options: endless },
  winston: { act: throwing, app: 'winston', load: rarer, options: endless },

  // Its handler of the stop signal never exits.
  otel: { act: reloadsUnkilled, app: 'otel', instances: 2, reports: true, options: register },

  'broken-boot': { act: brokenRelease('throws-at-boot') },
  'broken-silent': { act: brokenRelease('never-listens'), options: ['--listen-timeout', '2s'] },
  'broken-listening': { act: brokenRelease('dies-at-listening') },
  'broken-serving': { act: brokenRelease('dies-serving') },

  ...Object.fromEntries(ways.map((way) => [`scale-${way}`, { act: scales, options: schedule(way) }])),
  // Only a shared socket lets the free worker take what the blocked one cannot; the other way is for comparison.
  ...Object.fromEntries(
    ways.map((way) => [
      `blocked-${way}`,
      { act: blocked, instances: 2, load: burst, options: schedule(way), must: way === 'kernel' },
    ]),
  ),
};

/** What is also done to an app on a framework. */
const shared = ['reload', 'kill', 'throw', 'broken-', 'scale-', 'blocked-kernel'];
const frameworks = Object.entries(own)
  .filter(([name]) => shared.some((word) => (word.endsWith('-') ? name.startsWith(word) : name === word)))
  .flatMap(([name, scenario]) => ['express', 'fastify'].map((app) => [`${name}-${app}`, { ...scenario, app }]));

const compared = {
  'cluster-alone': cluster({ act: nothing }),
  'cluster-reload-disconnect': cluster({ act: reloads }),
  'cluster-reload-close': cluster({ act: reloads, app: 'graceful', way: 'close' }),
  'cluster-reload-far': cluster({ ...far, act: reloads }),
  'cluster-kill': cluster({ act: kills, instances: 2 }),
  'cluster-throw': cluster({ act: throwing, load: rare }),
  'cluster-scale': cluster({ act: scales }),
  'cluster-blocked': cluster({ act: blocked, instances: 2, load: burst }),
};

function cluster(scenario) {
  return { ...scenario, supervisor: 'cluster', must: false };
}

export const scenarios = [...Object.entries(own), ...frameworks, ...Object.entries(compared)].map(
  ([name, scenario]) => ({ name, ...base, ...scenario }),
);
