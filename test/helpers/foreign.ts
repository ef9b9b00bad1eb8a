// Another user of the machine, who owns a directory and attacks what a daemon of root does there.
import { chmodSync, chownSync, lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { findProgram } from '../../src/os/programs.ts';
import { whyNoOtherUser as findReason } from './other-user.ts';
import { type Finished, finish, outputOf } from './program.ts';

const setpriv = findProgram('setpriv', { cwd: '/', env: { PATH: '/usr/bin:/bin' } });

/** Why tests with another user cannot run here; undefined where they can. */
export const whyNoOtherUser = await findReason();

const idOf = async (what: '-u' | '-g') => (whyNoOtherUser ? -1 : Number(await outputOf('id', [what, 'nobody'])));
const nobody = { uid: await idOf('-u'), gid: await idOf('-g') };

/** Options for an app "a" of nobody that is ready soon. */
export const asNobody = ['--name', 'a', '--uid', 'nobody', '--cwd', '/'];

export class Attacker {
  readonly uid = nobody.uid;
  readonly gid = nobody.gid;
  /** Belongs to nobody, who can enter it. */
  directory = '';
  /** Belongs to root. Nobody can enter it, but not read or write the files. */
  roots = '';

  begin(): void {
    this.directory = mkdtempSync(join(tmpdir(), 'nsv-nobody-'));
    this.roots = mkdtempSync(join(tmpdir(), 'nsv-root-'));
    chmodSync(this.roots, 0o755);
    chmodSync(this.directory, 0o755);
    chownSync(this.directory, this.uid, this.gid);
  }

  end(): void {
    rmSync(this.directory, { recursive: true, force: true });
    rmSync(this.roots, { recursive: true, force: true });
  }

  at(name: string): string {
    return join(this.directory, name);
  }

  /** A file of root that nobody else may read. */
  secret(name = 'secret', text = 'secret of root\n'): string {
    const file = join(this.roots, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  }

  /** Runs a shell command as nobody, in the directory. Throws if it fails. */
  sh(command: string): Promise<string> {
    return outputOf(setpriv!, [...this.#user, '/bin/sh', '-c', command], { cwd: this.directory });
  }

  try(command: string): Promise<Finished> {
    return finish(setpriv!, [...this.#user, '/bin/sh', '-c', command], { cwd: this.directory });
  }

  ownerOf(file: string): number {
    return lstatSync(file).uid;
  }

  text(name: string): string {
    return readFileSync(this.at(name), 'utf8');
  }

  get #user(): string[] {
    return ['--reuid', String(this.uid), '--regid', String(this.gid), '--clear-groups', '--'];
  }
}

/** With new directories in each test of the file. */
export function attackerForEach(): Attacker {
  const attacker = new Attacker();
  if (whyNoOtherUser) return attacker;
  beforeEach(() => attacker.begin());
  afterEach(() => attacker.end());
  return attacker;
}
