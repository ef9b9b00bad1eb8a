// Bundles each program of nsv into one file. Why a bundle: `nsv list` may take at most 1.5 times `node -e 0`, and
// resolving and compiling some 60 small files costs more than that (docs/architecture.md has the figures).
// The libraries are bundled too, so an installed nsv has no dependencies; their licences go along.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const programs = ['cli/main', 'daemon/main', 'daemon/sockets/activate', 'worker/preload'];

rmSync(dist, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: programs.map((program) => ({ in: `src/${program}.ts`, out: program })),
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  // The oldest Node that nsv supports. CommonJS, because it loads 3 ms faster than an ES module and can be preloaded.
  target: 'node20.19',
  format: 'cjs',
  define: { 'import.meta.dirname': '__dirname' },
  minifyWhitespace: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
});
writeFileSync(join(dist, 'package.json'), '{ "type": "commonjs" }\n');
writeFileSync(join(dist, 'LICENSES.txt'), licences(Object.keys(metafile.inputs)));

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
