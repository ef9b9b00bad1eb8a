// Config files of the shapes that people's repositories have for PM2: the same keys and kinds of values, names of our own. Each is the name
// of a file and its text, or the apps in it. The programs in them are in `projects`.

/** One that serves, one that works, as a build would leave them. */
const server = `require('node:http').createServer((_, response) => response.end('ok')).listen(process.env.PORT ?? 0);\n`;
const worker = 'setInterval(() => {}, 1000);\n';
const job = `console.log('done');\n`;

export const projects = {
  ...Object.fromEntries(
    ['server.js', 'src/index.js', 'dist/main.js', 'dist/src/main.js', 'build/server.js', 'app.js'].map((name) => [
      name,
      server,
    ]),
  ),
  ...Object.fromEntries(
    ['worker.js', 'worker/index.js', 'dist/worker.js', 'scheduler.js'].map((name) => [name, worker]),
  ),
  'bin/start': `#!/usr/bin/env node\n${server}`,
  'job.js': job,
  'node_modules/next/dist/bin/next': `#!/usr/bin/env node\nif (process.argv[2] !== 'start') process.exit(1);\n${server}`,
  'node_modules/.bin/tool': `#!/usr/bin/env node\n${worker}`,
  '.output/server/index.mjs': `import { createServer } from 'node:http';\ncreateServer((_, response) => response.end('ok')).listen(0);\n`,
  'app.py': 'import time\nwhile True: time.sleep(1)\n',
  'start.sh': '#!/bin/sh\nexec sleep 600\n',
  'ready.js': `${server}setTimeout(() => process.send?.('ready'), 200);\n`,
  'twice.js': `setTimeout(() => process.exit(1), 300);\n`,
  'setup.cjs': 'globalThis.isSetUp = true;\n',
  '.env': 'GREETING=hello\n',
  'public/index.html': 'hello\n',
  'package.json': JSON.stringify({
    name: 'shop',
    version: '1.2.3',
    scripts: { start: 'node server.js', 'start:queue': 'node worker.js', dev: 'sh start.sh' },
  }),
};

const cluster = { exec_mode: 'cluster', instances: 2 };
const logs = { error_file: './logs/err.log', out_file: './logs/out.log', log_date_format: 'YYYY-MM-DD HH:mm:ss' };
const both = { env: { NODE_ENV: 'development', PORT: 0 }, env_production: { NODE_ENV: 'production', PORT: 0 } };
const deploy = {
  production: { user: 'node', host: 'shop.example', ref: 'origin/main', repo: 'shop.git', path: '/srv/shop' },
};

const js = (...apps) => ['ecosystem.config.js', `module.exports = ${JSON.stringify({ apps }, null, 2)};\n`];
const cjs = (text) => ['ecosystem.config.cjs', text];
const json = (value) => ['process.json', JSON.stringify(value, null, 2)];

export const configs = {
  'cluster with logs': js({ name: 'shop', script: './server.js', ...cluster, ...logs, max_memory_restart: '500M' }),
  'all CPUs, two environments': js({
    name: 'shop-6.2',
    script: 'server.js',
    instances: 'max',
    exec_mode: 'cluster',
    ...both,
  }),
  'instances 0': js({ name: 'shop', script: './build/server.js', instances: 0, exec_mode: 'cluster', ...both }),
  'instances as text': js({
    script: 'dist/src/main.js',
    instances: '2',
    exec_mode: 'cluster',
    instance_var: 'INSTANCE_ID',
  }),
  'instances "auto"': js({ name: 'API', script: './server.js', instances: 'auto', kill_timeout: 10000, ...both }),
  'instances -1': js({ name: 'shop', script: 'app.js', instances: -1, exec_mode: 'cluster' }),
  'without a name': js({
    script: 'src/index.js',
    exec_mode: 'cluster',
    instance_var: 'INSTANCE_ID',
    env_development: { A: 1 },
  }),
  'old name of the mode': json({ apps: [{ name: 'shop', script: 'app.js', exec_mode: 'cluster_mode', instances: 2 }] }),
  'one app without a list': cjs(
    `module.exports = { name: 'shop', script: './server.js', instances: 2, autorestart: true, time: true };`,
  ),
  'apps as an object': cjs(
    `module.exports = { apps: { name: 'shop', script: 'server.js', ${`env_local: { APP_ENV: 'dev' }`} } };`,
  ),
  'a list of apps': json([
    { name: 'one', script: 'app.js' },
    { name: 'two', script: 'worker.js' },
  ]),
  'a command as the script': js({ name: 'shop', script: 'node server.js', autorestart: true, watch: false }),
  'npm with arguments': js({
    name: 'shop',
    script: 'npm',
    args: 'run start',
    cwd: './',
    ...logs,
    log_file: './logs/all.log',
    time: true,
  }),
  'npm without an interpreter': js({
    name: 'shop',
    script: 'npm',
    args: 'start',
    interpreter: 'none',
    max_memory_restart: '1500M',
  }),
  'npm in a cluster': js({ name: 'shop', script: 'npm', args: 'start', instances: 'max', exec_mode: 'cluster' }),
  'npm run as one command': js({ name: 'shop', script: 'npm run dev', max_restarts: 10, restart_delay: 4000 }),
  'a server and a queue': js(
    { name: 'shop', script: './server.js', ...cluster },
    { name: 'queue', script: 'npm', instances: '1', args: 'run start:queue' },
  ),
  'a framework by its file': js({
    name: 'web',
    script: 'node_modules/next/dist/bin/next',
    args: 'start -p 3000',
    ...cluster,
    listen_timeout: 8000,
  }),
  'the same, waiting for ready': js({
    name: 'web',
    script: 'node_modules/next/dist/bin/next',
    args: 'start',
    wait_ready: true,
    listen_timeout: 1000,
    kill_timeout: 3000,
  }),
  'ready as it should be': js({ name: 'web', script: 'ready.js', wait_ready: true, listen_timeout: 10000, ...cluster }),
  'an ES module': js({
    name: 'web',
    port: '3000',
    exec_mode: 'cluster',
    instances: 2,
    script: '.output/server/index.mjs',
  }),
  'a program of node_modules': js({ name: 'tool', script: './node_modules/.bin/tool', args: ['--port', '3000'] }),
  'a file without an extension': js({ name: 'bwb', script: './bin/start', cwd: '.', merge_logs: true, ...cluster }),
  Python: js({
    name: 'bot',
    script: 'app.py',
    interpreter: 'python3',
    watch: false,
    autorestart: true,
    max_restarts: 10,
  }),
  'Python without an interpreter': js({ name: 'API(python)', script: 'app.py', ...both }),
  'a key called cmd': js({ name: 'bot', cmd: 'app.py', interpreter: 'python3', pid: './bot.pid' }),
  'a shell script': js({
    name: 'miner',
    script: './start.sh',
    interpreter: '/bin/bash',
    env: { ENTRY: 'a.py' },
    restart_delay: 3000,
  }),
  'a shell script as a program': js({
    name: 'monitor',
    script: './start.sh',
    max_memory_restart: '200M',
    autorestart: true,
  }),
  'an interpreter that is missing': js({
    name: 'app',
    script: 'src/index.js',
    interpreter: 'bun-not-here',
    env: { NODE_ENV: 'production' },
  }),
  'a script that is missing': js({ name: 'app', script: 'dist/nothing.js', instances: 1 }),
  'one of two is missing': js({ name: 'good', script: 'app.js' }, { name: 'bad', script: 'lib/nothing.js' }),
  'a job by the clock': js({
    name: 'cron:boot',
    script: 'job.js',
    autorestart: false,
    cron_restart: '0 3 * * *',
    instances: 1,
  }),
  'a job once': js({ name: 'migrate', script: 'job.js', autorestart: false }),
  'a job among servers': js(
    { name: 'shop', script: 'server.js' },
    { name: 'nightly', script: 'job.js', cron: '*/30 * * * *', autorestart: false },
  ),
  'a crash loop': js({ name: 'twice', script: 'twice.js', max_restarts: 3, min_uptime: '5s', restart_delay: 100 }),
  'a minimum uptime of 30 s': js({ name: 'web', script: 'server.js', min_uptime: '30s', max_restarts: 10, ...logs }),
  backoff: js({ name: 'jobs', script: 'worker.js', exp_backoff_restart_delay: 200, max_restarts: 25 }),
  'watched, some ignored': js({
    name: 'shop',
    script: 'server.js',
    watch: ['src', 'dist'],
    ignore_watch: ['node_modules', 'logs'],
    watch_delay: 1000,
  }),
  'watched with options': js({
    name: 'shop',
    script: 'server.js',
    watch: '.',
    ignore_watch: ['pm2'],
    watch_options: { usePolling: true, followSymlinks: false },
  }),
  'preloaded by node_args': js({
    name: 'jobs',
    script: './server.js',
    node_args: '-r ./setup.cjs',
    args: 'config=./.env',
  }),
  'node_args as a list': js({
    name: 'api',
    script: 'server.js',
    node_args: ['--max_old_space_size=512', '--no-warnings'],
  }),
  'empty interpreter_args': js({
    name: 'solar',
    script: 'scheduler.js',
    interpreter: 'node',
    interpreter_args: '',
    restart_delay: 5000,
  }),
  'an env_file': js({ name: 'api', script: 'server.js', env_file: '.env', source_map_support: true }),
  'an env_file that is missing': js({ name: 'api', script: 'server.js', env_file: '.env.production' }),
  'booleans and nulls in env': js({
    name: 'api',
    script: 'server.js',
    env: { watch: false, DEBUG: true, EMPTY: null, LIMIT: 5, NAMES: ['a', 'b'] },
  }),
  'old names of log files': js({
    name: 'deploy',
    script: 'dist/main.js',
    error: 'logs/err.log',
    output: 'logs/out.log',
    combine_logs: true,
  }),
  'logs below the home': js({
    name: 'shop',
    script: 'server.js',
    error_file: '~/shop-error.log',
    out_file: '~/shop-out.log',
  }),
  'logs of Windows': js({ name: 'shop', script: 'server.js', out_file: 'C:\\shop\\out.log', error_file: 'NUL' }),
  'no logs': js({ name: 'shop', script: 'server.js', out_file: '/dev/null', error_file: 'NULL', disable_logs: true }),
  'JSON log lines': js({ name: 'shop', script: 'server.js', log_type: 'json', log_date_format: 'DD/MM HH:mm Z' }),
  'a deployment': cjs(
    `module.exports = { apps: [{ name: 'shop', script: 'server.js' }], deploy: ${JSON.stringify(deploy)} };`,
  ),
  'services of PM2': js({
    name: 'shop',
    script: 'server.js',
    vizion: false,
    pmx: false,
    automation: false,
    treekill: true,
    namespace: 'shop',
    force: true,
  }),
  'a port that counts up': js({
    name: 'shop',
    script: 'server.js',
    instances: 2,
    increment_var: 'PORT',
    env: { PORT: 45310 },
  }),
  'the same program four times': js(
    ...[1, 2, 3, 4].map((n) => ({ name: `app-${n}`, script: 'dist/src/main.js', env: { INSTANCE_ID: `app-${n}` } })),
  ),
  'computed values': cjs(`const os = require('node:os'); const path = require('node:path');
    const { name } = require('./package.json');
    module.exports = { apps: [{ name: name + '-' + (process.env.MODE || 'stag'), script: path.resolve(__dirname, 'server.js'),
      instances: process.env.PM2_INSTANCES, cwd: process.env.PM2_CWD, max_restarts: process.env.MAX, time: false }] };`),
  'a name that is missing': cjs(
    `module.exports = { apps: [{ name: process.env.SERVICE_NAME, script: 'src/index.js', watch_delay: process.env.DELAY }] };`,
  ),
  'exports of an ES module': [
    'ecosystem.config.mjs',
    `export const apps = [{ name: 'app-1', script: 'server.js' }, { name: 'app-2', script: 'worker.js' }];\n`,
  ],
  'a default export': [
    'ecosystem.config.mjs',
    `export default { apps: [{ name: 'shop', script: 'server.js', cwd: process.cwd() }] };\n`,
  ],
  YAML: [
    'pm2.yml',
    `apps:\n  - script: ./server.js\n    name: 'shop'\n    instances: 2\n    exec_mode: cluster\n    log_date_format: 'YYYY-MM-DD HH:mm Z'\n`,
  ],
  'a comma that is missing': cjs(
    `module.exports = {\n  apps: [{\n    name: 'app',\n    cwd: "app"\n    script: 'npm',\n  }]\n};\n`,
  ),
  'JSON with comments': [
    'process.json',
    `{\n  // the shop\n  "apps": [{ "name": "shop", "script": "server.js", "args": "", }]\n}\n`,
  ],
  'static files': js({
    name: 'site',
    script: 'serve',
    env: { PM2_SERVE_PATH: './public', PM2_SERVE_PORT: 45310, PM2_SERVE_SPA: 'true' },
  }),
};
