// Writes the generated pages of docs/. They are made by TypeScript, which Node 20 does not run: so it is bundled first.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'nsv-docs-'));
try {
  const outfile = join(folder, 'pages.cjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['test/helpers/pages.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    define: { 'import.meta.dirname': '__dirname' },
    logLevel: 'warning',
  });
  const { pages } = await import(pathToFileURL(outfile));
  mkdirSync(join(root, 'docs'), { recursive: true });
  for (const [name, text] of Object.entries(await pages())) writeFileSync(join(root, 'docs', name), text);
} finally {
  rmSync(folder, { recursive: true });
}
