import { describe, expect, it } from 'vitest';
import { whyNotExecutable } from '../../../src/daemon/launch/diagnosis.ts';
import { isDirectory, isFile } from '../../../src/os/programs.ts';

describe('a path', () => {
  it('is that of a file or of a directory', () => {
    expect([isFile(import.meta.filename), isDirectory(import.meta.filename)]).toEqual([true, false]);
    expect([isFile(import.meta.dirname), isDirectory(import.meta.dirname)]).toEqual([false, true]);
  });

  it.each([
    ['below a file', `${import.meta.filename}/app.js`],
    ['with a name that is too long', `/${'x'.repeat(300)}`],
    ['that has a zero byte', 'app\0.js'],
  ])('%s is neither, without an error', (_what, path) => {
    expect([isFile(path), isDirectory(path)]).toEqual([false, false]);
  });

  it('is reported as missing if it is below a file', () => {
    const below = `${import.meta.filename}/below`;
    expect(whyNotExecutable(below, '/')).toBe('no such file');
    expect(whyNotExecutable('/bin/sh', below)).toBe(`the working directory "${below}" is gone`);
  });
});
