// nginx in front of the app of a test.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { eventually } from './eventually.ts';
import { ask, freePort } from './http.ts';
import { works } from './program.ts';

export const hasNginx = await works('nginx', '-v');

let nginx: ChildProcess | undefined;

/** Ends it after each test of the file. */
export function endNginx(): void {
  afterEach(async () => {
    const ended = nginx?.exitCode === null && once(nginx, 'exit');
    nginx?.kill();
    await ended;
    nginx = undefined;
  });
}

/** Resolves with its port when the app answers there. `http`: the directives of the block of that name, with `listen 80`. */
export async function nginxBefore(http: string, directory: string): Promise<number> {
  const folder = join(directory, 'nginx');
  mkdirSync(folder);
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/log;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 256; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  ${http.replace('listen 80;', `listen 127.0.0.1:${port};`)}
}`,
  );
  nginx = spawn('nginx', ['-p', folder, '-e', `${folder}/log`, '-c', file], { stdio: 'inherit' });
  await eventually(async () => (await ask(port)).ok);
  return port;
}
