// A PostgreSQL of a test's own, in a directory of its own, that only a socket there leads to.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { eventually } from './eventually.ts';
import { finish, outputOf } from './program.ts';

interface Ids {
  uid?: number;
  gid?: number;
}

/** Debian has them outside of the PATH. */
const versions = '/usr/lib/postgresql';
const programs = existsSync(versions)
  ? readdirSync(versions)
      .map((version) => join(versions, version, 'bin'))
      .find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))))
  : undefined;

/** Root cannot run it. */
const user: Ids | undefined = process.getuid?.() === 0 ? await idsOf('postgres') : {};

export const whyNoPostgres = programs
  ? user
    ? undefined
    : 'root cannot run PostgreSQL, and there is no user postgres'
  : 'PostgreSQL is not installed';

export class PostgresServer {
  readonly url: string;
  readonly #directory = mkdtempSync(join(tmpdir(), 'nsv-postgres-'));
  #child: ChildProcess | undefined;

  private constructor() {
    this.url = `postgres://tests@${encodeURIComponent(this.#directory)}/postgres`;
  }

  static async start(): Promise<PostgresServer> {
    const server = new PostgresServer();
    const { uid, gid } = user ?? {};
    if (uid !== undefined && gid !== undefined) chownSync(server.#directory, uid, gid);
    const options = { cwd: server.#directory, ...user };
    await outputOf(join(programs!, 'initdb'), [...'-D data -A trust -U tests -E UTF8 --no-sync'.split(' ')], options);
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const words = ['-D', 'data', '-k', this.#directory, '-c', 'listen_addresses=', '-c', 'fsync=off'];
    const options = { cwd: this.#directory, ...user, stdio: 'ignore' as const };
    this.#child = spawn(join(programs!, 'postgres'), words, options);
    await eventually(() => this.query('SELECT 1').catch(() => undefined), 'PostgreSQL answers');
  }

  /** `text` may have several statements. */
  async query(text: string, url = this.url): Promise<unknown> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    try {
      return await client.query(text);
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    // It ends its connections, and itself.
    child.kill('SIGINT');
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#directory, { recursive: true });
  }
}

async function idsOf(name: string): Promise<Ids | undefined> {
  const [uid, gid] = await Promise.all(['-u', '-g'].map(async (which) => finish('id', [which, name])));
  return uid!.code === 0 ? { uid: Number(uid!.stdout), gid: Number(gid!.stdout) } : undefined;
}
