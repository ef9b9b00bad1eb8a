// Functions of src that read what others wrote, bundled to be called in this process.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const exported = `
export { decodeState } from './src/daemon/state/codec.ts';
export { parseSavedList } from './src/daemon/state/saved-list.ts';
export { readConfig, resolveConfig } from './src/config/file/read.ts';
export { parseAppSpec } from './src/config/app-spec.ts';
export { parameters } from './src/ipc/parameters.ts';
export { methods } from './src/ipc/protocol.ts';
export { LineReader, LineTooLong } from './src/ipc/frame.ts';
export { allRotations, rotationsOf } from './src/shared/rotations.ts';
export { markIn, readMark } from './src/daemon/process/mark.ts';
export { NsvError, catalogue } from './src/shared/errors.ts';
`;

/** `directory`: where the bundle is written. */
export async function loadDirect(root, directory) {
  const outfile = join(directory, 'direct.mjs');
  await build({
    stdin: { contents: exported, resolveDir: root, loader: 'ts' },
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    // Bundled packages in CommonJS expect it.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    // Where the programs of the package are looked for: two levels above.
    define: { 'import.meta.dirname': JSON.stringify(join(root, 'dist', 'fuzz')) },
    outfile,
    logLevel: 'error',
  });
  return import(pathToFileURL(outfile).href);
}
