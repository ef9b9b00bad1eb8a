// A home that is another one in each test of a file, for tests of what is in homes and behind their sockets.
import { afterEach, beforeEach } from 'vitest';
import type { HomePaths } from '../../src/shared/paths.ts';
import { type TemporaryHome, temporaryHome } from './wire.ts';

/** `below`: a part of the path that is not made yet. */
export function temporaryHomeForEach(below?: string): { readonly paths: HomePaths } {
  let home: TemporaryHome;
  beforeEach(() => {
    home = temporaryHome(below);
  });
  afterEach(() => home.remove());
  return {
    get paths() {
      return home.paths;
    },
  };
}
