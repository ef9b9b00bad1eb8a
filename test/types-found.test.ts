// Whether TypeScript finds the types of each part of the package, however it looks for modules.
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installNsv } from './helpers/app-library.ts';
import { root } from './helpers/nsv.ts';
import { temporaryDirectory } from './helpers/temporary.ts';

const directory = temporaryDirectory(afterAll);
beforeAll(() => installNsv(directory));

const ways = {
  node10: { moduleResolution: ts.ModuleResolutionKind.Node10 },
  node16: { moduleResolution: ts.ModuleResolutionKind.Node16, module: ts.ModuleKind.Node16 },
  bundler: { moduleResolution: ts.ModuleResolutionKind.Bundler, module: ts.ModuleKind.ESNext },
};
const parts = { nsv: 'api', 'nsv/app': 'app', 'nsv/queue': 'queue', 'nsv/config': 'config' };

it.each(Object.entries(ways))('the types are found with the module resolution %s', (_name, options) => {
  for (const [part, folder] of Object.entries(parts)) {
    const { resolvedModule } = ts.resolveModuleName(part, join(directory, 'app.ts'), options, ts.sys);
    expect(resolvedModule?.resolvedFileName).toMatch(new RegExp(`^${join(root, folder)}/index\\.d\\.[cm]ts$`));
  }
});
