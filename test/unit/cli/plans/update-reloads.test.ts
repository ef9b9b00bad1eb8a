import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migratedProgram } from '../../../../src/cli/plans/update-reloads.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';
import { appView } from '../fake-context.ts';

const folder = temporaryDirectory(afterAll);
const at = (name: string) => join(folder, name);

beforeAll(() => {
  for (const name of ['old', 'new', 'own']) {
    mkdirSync(at(name));
    writeFileSync(at(`${name}/node`), '');
    chmodSync(at(`${name}/node`), 0o755);
  }
  symlinkSync(at('old/node'), at('link'));
});

const party = (program: string) => ({ pid: 1, version: '1.0.0', node: 'v20.0.0', program });
const moved = (interpreter: string, { from = 'old/node', to = 'new/node', path = 'new' } = {}) =>
  migratedProgram(
    { ...appView().spec, interpreter },
    { before: party(at(from)), after: party(at(to)) },
    { cwd: '/', env: { PATH: at(path) } },
  )?.interpreter;

describe('an app after an update', () => {
  it.each(['old/node', 'link'])('moves from the Node of the old daemon (%s) to the one on the PATH', (name) => {
    expect(moved(at(name))).toBe(at('new/node'));
  });

  it('moves to the Node of the new daemon if none is on the PATH', () => {
    expect(moved(at('old/node'), { path: 'nothing' })).toBe(at('new/node'));
  });

  it('moves even if its old Node was removed', () => {
    expect(moved(at('gone/node'), { from: 'gone/node' })).toBe(at('new/node'));
  });

  it('keeps a Node of its own', () => {
    expect(moved(at('own/node'))).toBeUndefined();
  });

  it('keeps its Node if the daemon has the same one as before', () => {
    expect(moved(at('old/node'), { to: 'old/node' })).toBeUndefined();
  });
});
