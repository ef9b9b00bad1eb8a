// Apps to launch with any settings, of which none can do harm: whatever is mutated, what names a file, a program, a command, a user or a
// number of processes stays within bounds.
import { join } from 'node:path';
import { mutated, oddText, oddValue } from './mutate.mjs';

const samples = {
  namespace: (r) => r.pick(['default', 'fuzz', 'a b', '@x/y']),
  args: () => ['600'],
  instances: (r) => r.between(1, 3),
  env: (r) => ({ A: 'b', [r.pick(['PORT', 'PATH', 'é'])]: '1' }),
  filterEnv: () => ['npm_'],
  stdin: (r) => r.pick(['none', 'pipe']),
  killTimeout: () => 200,
  stopSignal: (r) => r.pick(['SIGTERM', 'INT', 15]),
  shutdownWithMessage: (r) => r.oneIn(2),
  drainOnCrash: (r) => r.oneIn(2),
  autorestart: (r) => r.oneIn(2),
  maxRestarts: (r) => r.pick([0, 3, 'unlimited']),
  restartWindow: () => '1m',
  restartDelay: () => 500,
  expBackoffRestartDelay: () => 100,
  minUptime: () => 50,
  retryAfter: (r) => r.pick([0, '5s']),
  stopExitCodes: () => [0, 1],
  waitReady: (r) => r.oneIn(2),
  listenTimeout: (r) => r.pick([100, '1s']),
  maxMemoryRestart: (r) => r.pick(['80%', '500M']),
  maxRequests: () => 0,
  maxAge: (r) => r.pick([0, '1h']),
  listen: (r, place) => [{ path: join(place, `s${r.below(4)}.sock`) }],
  schedule: (r) => r.pick(['kernel', 'rr']),
  outFile: (r, place) => join(place, `out-${r.below(4)}.log`),
  errorFile: (r, place) => r.pick(['/dev/null', join(place, 'err', 'x.log')]),
  logFile: (r, place) => r.pick(['/dev/null', join(place, `all-${r.below(4)}.log`)]),
  pidFile: (r, place) => join(place, `pid-${r.below(4)}`),
  mergeLogs: (r) => r.oneIn(2),
  time: (r) => r.oneIn(2),
  logDateFormat: () => 'YYYY-MM-DD HH:mm:ss',
  logPrefix: (r) => r.oneIn(2),
  logType: (r) => r.pick(['text', 'json']),
  logMergeJson: (r) => r.oneIn(2),
  logMaxSize: (r) => r.pick([0, '1k', '10M']),
  logKeep: (r) => r.below(4),
  logRotate: (r) => r.pick(['daily', 'never', '*/5 * * * * *', '0 0 31 2 *']),
  logTotal: () => '1M',
  logCompress: (r) => r.oneIn(2),
  watch: (_, place) => [place],
  ignoreWatch: () => ['*.log', '{a,b}/**'],
  watchDelay: () => 100,
  cronRestart: (r) => r.pick(['* * * * *', '0 4 * * *', '0 0 31 2 *']),
  onGiveup: () => 'true',
  instanceVar: () => 'I',
  incrementVar: () => 'PORT',
  dependsOn: () => ['fuzz-1'],
  preStart: (r) => r.pick(['true', 'false']),
  postStop: () => 'true',
};

export const settingNames = Object.keys(samples);

/** A valid app. `place`: a directory for its files. */
export function appOf(random, place, name = `fuzz-${random.below(5)}`) {
  const keys = settingNames.filter(() => random.oneIn(8));
  const chosen = Object.fromEntries(keys.map((key) => [key, samples[key](random, place)]));
  return { name, script: '/bin/sleep', args: ['600'], cwd: place, ...chosen };
}

/** Mutated, but harmless. */
export function oddApp(random, place, name) {
  const app = appOf(random, place, name);
  const key = random.pick([...settingNames, 'unknown', 'name', 'script', 'cwd']);
  const odd = random.oneIn(3)
    ? mutated(app, random)
    : { ...app, [key]: random.oneIn(2) ? oddValue(random) : oddText(random) };
  return harmless(odd, place);
}

const files = ['outFile', 'errorFile', 'logFile', 'pidFile', 'cwd', 'configFile'];
const commands = ['onGiveup', 'preStart', 'postStop'];

/** What could do harm is replaced, whatever it is; values of a wrong type are left, as they must be refused. */
export function harmless(app, place) {
  if (typeof app !== 'object' || app === null || Array.isArray(app)) return app;
  const safe = { ...app };
  // Also keys of a prototype that was mutated in.
  Object.setPrototypeOf(safe, Object.prototype);
  const isText = (key) => typeof safe[key] === 'string';
  for (const key of files) {
    if (isText(key) && safe[key] !== '' && safe[key] !== '/dev/null' && !isWithin(safe[key], place))
      safe[key] = join(place, `x${safe[key].replace(/[/\0]/g, '-')}`.slice(0, 200));
  }
  for (const key of commands) if (isText(key) && safe[key] !== '') safe[key] = 'true';
  if (isText('script') && safe.script !== '')
    safe.script = safe.script.length % 2 === 0 ? '/bin/sleep' : '/nonexistent/x';
  if (isText('interpreter')) safe.interpreter = safe.interpreter === '' ? '' : '/nonexistent/y';
  if (Array.isArray(safe.interpreterArgs)) safe.interpreterArgs = [];
  if ('args' in safe && !isSleep(safe.args)) safe.args = ['600'];
  for (const key of ['uid', 'gid', 'interpreterArgs']) delete safe[key];
  safe.node = false;
  const { instances } = safe;
  if (Number(instances) > 3 && Number(instances) <= 10_000) safe.instances = 2;
  // Nobody waits for what may take days.
  for (const key of ['killTimeout', 'listenTimeout', 'minUptime', 'restartDelay', 'expBackoffRestartDelay'])
    if (typeof safe[key] === 'number' && safe[key] > 1_000 && safe[key] < 2 ** 31) safe[key] = 1_000;
  if (Number(safe.logMaxSize) < 0) delete safe.logMaxSize;
  if ('watch' in safe && JSON.stringify(safe.watch) !== JSON.stringify([place])) safe.watch = [];
  if ('listen' in safe) safe.listen = harmlessAddresses(safe.listen, place);
  if (typeof safe.name === 'string' && safe.name.startsWith('canary')) safe.name = 'fuzz-0';
  return safe;
}

function harmlessAddresses(listen, place) {
  const text = JSON.stringify(listen);
  return typeof text === 'string' &&
    /\/|\d/.test(text.replaceAll(JSON.stringify(place).slice(1, -1), '').replace(/s\d\.sock/g, ''))
    ? [{ path: join(place, 's9.sock') }]
    : listen;
}

function isSleep(args) {
  return Array.isArray(args) && args.every((word) => typeof word === 'string');
}

function isWithin(path, place) {
  return path === place || (path.startsWith(`${place}/`) && !path.includes('..'));
}
