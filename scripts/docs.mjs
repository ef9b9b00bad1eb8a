// Writes the generated pages of docs/ and the tables of the README. They are made by TypeScript, which Node 20 does not run: so it is bundled first.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
// As far below the package as what is bundled, and where packages are found.
const folder = mkdtempSync(join(root, 'node_modules', '.docs-'));
try {
  const outfile = join(folder, 'pages.cjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['test/helpers/pages.ts'],
    outfile,
    bundle: true,
    external: ['typescript'],
    platform: 'node',
    format: 'cjs',
    define: { 'import.meta.dirname': '__dirname' },
    logLevel: 'warning',
  });
  const { pages } = await import(pathToFileURL(outfile));
  const read = (name) => readFileSync(join(root, name), 'utf8');
  for (const [name, text] of Object.entries(await pages(read))) writeFileSync(join(root, name), text);
} finally {
  rmSync(folder, { recursive: true });
}
