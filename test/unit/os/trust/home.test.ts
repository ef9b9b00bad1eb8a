import { chmodSync, chownSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkHome, prepareHome } from '../../../../src/os/trust/home.ts';
import { type TemporaryHome, temporaryHome } from '../../../helpers/wire.ts';

let at: TemporaryHome;
let directory: string;
beforeEach(() => {
  at = temporaryHome('home');
  directory = at.paths.home;
});
afterEach(() => at.remove());

const isRoot = process.geteuid?.() === 0;

describe('a home', () => {
  it('is created for its user only, with the folders above it', () => {
    const { paths, remove } = temporaryHome('some/where/home');
    expect(checkHome(paths)).toBe(false);
    prepareHome(paths);
    expect(checkHome(paths)).toBe(true);
    expect(statSync(paths.home).mode & 0o777).toBe(0o700);
    remove();
  });

  it.skipIf(!existsSync('/proc/1'))('is refused at once where nothing can be created', () => {
    const paths = { ...at.paths, home: '/proc/nsv/home' };
    expect(() => prepareHome(paths)).toThrow(expect.objectContaining({ code: 'HOME_UNSAFE' }));
  });

  it.each([0o700, 0o755, 0o500])('is accepted with mode %o', (mode) => {
    mkdirSync(directory);
    chmodSync(directory, mode);
    prepareHome(at.paths);
  });

  it('may be in a directory with the sticky bit, such as /tmp', () => {
    chmodSync(dirname(directory), 0o1777);
    prepareHome(at.paths);
    expect(checkHome(at.paths)).toBe(true);
  });

  it('may be a link to a valid one', () => {
    mkdirSync(`${directory}-real`, { mode: 0o700 });
    symlinkSync(`${directory}-real`, directory);
    expect(checkHome(at.paths)).toBe(true);
  });
});

it('a home may be created and removed during the check', async () => {
  const source = `
    const { mkdirSync, rmdirSync } = require('node:fs');
    for (;;) { mkdirSync(${JSON.stringify(directory)}, 0o700); rmdirSync(${JSON.stringify(directory)}); }`;
  const other = new Worker(source, { eval: true });
  const seen = { there: 0, missing: 0 };
  while (seen.there < 500 || seen.missing < 500) {
    if (checkHome(at.paths)) seen.there += 1;
    else seen.missing += 1;
  }
  await other.terminate();
});

describe('an unsafe home', () => {
  it.each([
    { case: 'is a file', make: () => writeFileSync(directory, ''), says: 'not a directory' },
    { case: 'is writable by others', make: () => made(0o777), says: 'mode 0777' },
    { case: 'is writable by its group', make: () => made(0o770), says: 'mode 0770' },
    { case: 'is a link to nothing', make: () => symlinkSync('/no/such/thing', directory), says: 'does not exist' },
    { case: 'lies below a file', make: () => below('a file'), says: 'ENOTDIR' },
  ])('is refused if it $case', ({ make, says }) => {
    make();
    for (const ask of [checkHome, prepareHome]) {
      expect(() => ask(at.paths)).toThrow(expect.objectContaining({ code: 'HOME_UNSAFE' }));
      expect(() => ask(at.paths)).toThrow(says);
    }
  });

  it.runIf(isRoot)('is refused if it belongs to another user, even by root', () => {
    mkdirSync(directory);
    chownSync(directory, 65_534, 65_534);
    expect(() => checkHome(at.paths)).toThrow('belongs to user 65534');
  });

  it.each([0o777, 0o770, 0o2775])('is refused in a directory writable by others, even before creation: %o', (mode) => {
    const parent = dirname(directory);
    chmodSync(parent, mode);
    const says = `it is inside ${parent}, which other users can write to (mode 0${mode.toString(8)})`;
    for (const ask of [checkHome, prepareHome]) expect(() => ask(at.paths)).toThrow(says);
    expect(existsSync(directory)).toBe(false);
    mkdirSync(directory);
    expect(() => checkHome(at.paths)).toThrow(says);
  });

  it('is refused if it is a link to one in a directory that other users can write to', () => {
    mkdirSync(`${directory}-open/home`, { recursive: true });
    chmodSync(`${directory}-open`, 0o777);
    symlinkSync(`${directory}-open/home`, directory);
    expect(() => checkHome(at.paths)).toThrow('-open, which other users can write to');
  });

  it.runIf(isRoot).each([0o755, 0o1777])("is refused in another user's directory of mode %o, even by root", (mode) => {
    mkdirSync(directory, { recursive: true });
    chownSync(dirname(directory), 65_534, 65_534);
    chmodSync(dirname(directory), mode);
    expect(() => checkHome(at.paths)).toThrow(`it is inside ${dirname(directory)}, which belongs to user 65534`);
  });

  it.runIf(isRoot)('is refused in a directory of root inside one of another user', () => {
    const { paths, remove } = temporaryHome('theirs/roots/home');
    const theirs = dirname(dirname(paths.home));
    mkdirSync(paths.home, { recursive: true });
    chownSync(theirs, 65_534, 65_534);
    expect(() => checkHome(paths)).toThrow(`it is inside ${theirs}, which belongs to user 65534`);
    remove();
  });

  it.runIf(isRoot)('is refused if it may not be inspected', () => {
    mkdirSync(directory);
    chmodSync(dirname(directory), 0o700);
    asNobody(() => {
      for (const ask of [checkHome, prepareHome]) expect(() => ask(at.paths)).toThrow('permission denied');
    });
  });

  it.runIf(isRoot)('is refused if it cannot be created', () => {
    chmodSync(dirname(directory), 0o755);
    asNobody(() => expect(() => prepareHome(at.paths)).toThrow('EACCES'));
  });

  function asNobody(act: () => void): void {
    process.seteuid!(65_534);
    try {
      act();
    } finally {
      process.seteuid!(0);
    }
  }

  function made(mode: number): void {
    mkdirSync(directory);
    chmodSync(directory, mode);
  }

  function below(content: string): void {
    writeFileSync(directory, content);
    at.paths.home = `${directory}/home`;
  }
});
