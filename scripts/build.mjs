// Bundles each program of nsv into one file (the command line into several: src/cli/lazy-commands.ts says why), and each library that
// is loaded only when it is needed into another. Why: resolving some 60 small files, or compiling what is
// not used, would take each command more than half as long as `node -e 0`. CommonJS, because it loads 3 ms faster than ES
// modules and can be preloaded. The libraries are bundled too, so an installed nsv has no dependencies; their licences go along.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const programs = [
  'activator/main',
  'broker/main',
  'cli/package-copy',
  'client/stacks/main',
  'config/evaluate',
  'daemon/main',
  'doctor/main',
  'formatter/main',
  'health/main',
  'keeper/main',
  'monit/main',
  'profile/main',
  'rotator/main',
  'serve/main',
  'socket-helper/main',
  'worker/insight/main',
  'worker/port-checks/main',
  'worker/preload',
  'worker/watchdog/main',
  'worker/watchdog/thread',
];
const libraries = ['chalk', 'cli-table3', 'commander', 'croner', 'picomatch', 'pidusage', 'pino', 'ws', 'yaml'];

/** What a daemon, or `nsv run`, loads or starts later: it runs from a copy of these (src/client/copies.ts). */
const usedByDaemon = [
  ...['activator', 'broker', 'cli', 'client', 'config', 'daemon', 'formatter', 'health', 'keeper', 'rotator', 'serve'],
  ...['socket-helper', 'vendor', 'worker'],
];
/** All that a build depends on. */
const sources = ['api', 'app', 'bin', 'package-lock.json', 'package.json', 'queue', 'scripts', 'src'];

rmSync(dist, { recursive: true, force: true });
const buildId = hashOf(sources);
const target = { platform: 'node', target: 'node20.19', format: 'cjs' };
const common = {
  ...target,
  absWorkingDir: root,
  outdir: 'dist',
  bundle: true,
  define: {
    'import.meta.dirname': '__dirname',
    'import.meta.filename': '__filename',
    NSV_BUILD: JSON.stringify(buildId),
  },
  minifyWhitespace: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
};
/** Names are kept, and lines are short: a stack in a report says where it was, to whoever has built the same version. */
const lines = { lineLimit: 120 };
const vendor = { name: 'vendor', setup: useVendor };
const ownVersion = { name: 'own version', setup: keepVersionOnly };
const entries = (names) => names.map((name) => ({ in: `src/${name}.ts`, out: name }));
const main = { ...common, plugins: [vendor, ownVersion] };
const ours = await build({ ...main, ...lines, entryPoints: entries(programs) });
// In words that old versions of Node understand: it tells them that they are too old.
const start = await build({ ...main, ...lines, target: 'node8', entryPoints: entries(['cli/main']) });
const commandLine = await buildCommandLine();
// With its lines: Node prints the one that an uncaught error comes from.
const api = await build({ ...main, entryPoints: entries(['api/index']), minifyWhitespace: false });
// As an ES module too: the first CommonJS module that an ES module imports costs it some milliseconds.
const library = { ...main, entryPoints: entries(['app/index', 'queue/index']), minifyWhitespace: false };
const inApps = await build(library);
const asItIs = {
  ...common.define,
  'import.meta.dirname': 'import.meta.dirname',
  'import.meta.filename': 'import.meta.filename',
};
await build({ ...library, format: 'esm', outExtension: { '.js': '.mjs' }, define: asItIs });
for (const { path, text } of withoutStub(commandLine.outputFiles, join(dist, 'cli/command-line.js'))) {
  writeFileSync(path, await commonJs(text));
}
const theirs = await build({
  ...common,
  entryPoints: libraries.map((name) => ({ in: name, out: `vendor/${name}` })),
  plugins: [{ name: 'lean pino', setup: leavePinoLean }],
});
writeFileSync(
  join(dist, 'LICENSES.txt'),
  licences([ours, start, commandLine, api, inApps, theirs].flatMap(({ metafile }) => Object.keys(metafile.inputs))),
);
const ofDaemon = ['bin/guard.sh', 'dist/package.json', ...filesBelow(usedByDaemon.map((name) => `dist/${name}`))];
// Last: whoever finds it finds the build as a whole.
writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ type: 'commonjs', build: buildId, ofDaemon })}\n`);

function filesBelow(paths) {
  const found = paths.flatMap((path) =>
    statSync(join(root, path)).isFile()
      ? path
      : filesBelow(readdirSync(join(root, path)).map((name) => join(path, name))),
  );
  return found.sort();
}

function hashOf(paths) {
  const hash = createHash('sha256');
  for (const file of filesBelow(paths)) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 8);
}

/**
 * Esbuild moves all of an entry point that other parts import into a chunk, and leaves a file that only exports from it. One file less
 * saves each command up to a millisecond.
 */
function withoutStub(files, entry) {
  const { text: stub } = files.find(({ path }) => path === entry);
  const [, chunk] = /^import\{[^}]+\}from"\.\/(chunk-\w+\.js)";export\{[^}]+\};/.exec(stub.trim());
  return files
    .filter(({ path }) => path !== entry)
    .map(({ path, text }) => ({
      path: basename(path) === chunk ? entry : path,
      text: text.replaceAll(`"./${chunk}"`, '"./command-line.js"'),
    }));
}

/**
 * As CommonJS, because esbuild splits ES modules only. Without `import()`, which would load the other parts as slowly as ES modules, and
 * in the function that src/cli/code-cache.ts would otherwise have to copy the text into.
 */
async function commonJs(text) {
  const banner = '(function (exports, require, module, __filename, __dirname) {"use strict";';
  const supported = { 'dynamic-import': false };
  const minify = { minifyWhitespace: true, minifySyntax: true };
  const plain = withPlainExports(text);
  const { code } = await transform(plain, { ...target, ...lines, ...minify, supported, banner, footer: '})' });
  return code;
}

/** Esbuild would export each name through two getters, which cost every command half a millisecond and 30 KB. */
function withPlainExports(text) {
  return text.replace(/\bexport\{([^{}]+)\};/, (_, names) => {
    const pairs = names.split(',').map((name) => name.split(' as '));
    return `Object.assign(exports,{${pairs.map(([local, exported = local]) => `${exported}:${local}`)}});`;
  });
}

/**
 * Esbuild writes one file for each set of parts that share modules, and `nsv list` would read six. Whatever is loaded later runs beside
 * what the command line loads first: with an import that says so, all of the latter is in one file.
 */
async function buildCommandLine() {
  const first = join(root, 'src/cli/command-line.ts');
  const options = {
    ...main,
    format: 'esm',
    splitting: true,
    write: false,
    outdir: 'dist/cli',
    entryPoints: [{ in: 'src/cli/command-line.ts', out: 'command-line' }],
  };
  // Found in a pass of its own: esbuild loads a file once, for whichever import comes first.
  const { metafile } = await build(options);
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  const later = imports.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => join(root, path));
  const setup = ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) =>
      later.includes(path)
        ? { contents: `${readFileSync(path, 'utf8')}\nimport ${JSON.stringify(first)};`, loader: 'ts' }
        : undefined,
    );
  return build({ ...options, plugins: [...options.plugins, { name: 'fewer files', setup }] });
}

/** Every program that uses a library lies one folder below dist. Only client/stacks/main lies deeper: it has its own ws. */
function useVendor({ onResolve, initialOptions }) {
  const used = initialOptions.splitting ? libraries : libraries.filter((name) => name !== 'ws');
  onResolve({ filter: new RegExp(`^(${used.join('|')})$`) }, ({ path }) => ({
    path: `../vendor/${path}.js`,
    external: true,
  }));
}

/** `nsv list` reads the bundle each time, and of package.json only the version is used. */
function keepVersionOnly({ onLoad }) {
  onLoad({ filter: /package\.json$/ }, ({ path }) => {
    if (path !== join(root, 'package.json')) return undefined;
    const { version } = JSON.parse(readFileSync(path, 'utf8'));
    return { contents: JSON.stringify({ version }), loader: 'json' };
  });
}

/**
 * Pino loads the ways to write of its own as it starts, and with them Node's threads and assertions, whatever it writes to.
 * The daemon gives it a function instead (daemon/logger.ts): without them it boots some milliseconds sooner.
 */
function leavePinoLean({ onResolve, onLoad }) {
  const unused = /^(sonic-boom|thread-stream|worker_threads)$/;
  onResolve({ filter: unused }, ({ path, importer }) =>
    importer.includes('/node_modules/pino/') ? { path, namespace: 'unused' } : undefined,
  );
  const contents = "module.exports = class { constructor() { throw new Error('left out of nsv') } };";
  onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents }));
}

function licences(inputs) {
  const folders = new Set(inputs.map((input) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]).filter(Boolean));
  return [...folders].sort().map(licence).join('\n');
}

function licence(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const file = ['LICENSE', 'LICENSE.md', 'LICENCE', 'license', 'LICENSE.txt'].find((candidate) => {
    try {
      return readFileSync(join(root, folder, candidate));
    } catch {
      return false;
    }
  });
  const text = file ? readFileSync(join(root, folder, file), 'utf8').trim() : '';
  return `${name} ${version} (${license})\n\n${text}\n\n${'-'.repeat(72)}\n`;
}
