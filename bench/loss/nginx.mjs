// nginx as it usually stands in front of a Node app: it keeps connections to the app, and uses them again.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../measure.mjs';

export const hasNginx = spawnSync('nginx', ['-v'], { stdio: 'ignore' }).status === 0;

const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

const configuration = ({ folder, port, app }) => `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/nginx.log;
${process.getuid() === 0 ? 'user root;' : ''}
events { worker_connections 8192; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  upstream app {
    server ${app.host}:${app.port};
    keepalive 64;
  }
  server {
    listen 127.0.0.1:${port} backlog=2048;
    location / {
      proxy_pass http://app;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`;

/** `app`: the address to which it passes requests. Its files are in `folder`. */
export async function startNginx(parent, app) {
  const folder = join(parent, 'nginx');
  mkdirSync(folder);
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configuration({ folder, port, app }));
  const child = spawn('nginx', ['-p', folder, '-e', join(folder, 'nginx.log'), '-c', file], { stdio: 'inherit' });
  return { target: { host: '127.0.0.1', port }, close: () => child.kill() };
}
