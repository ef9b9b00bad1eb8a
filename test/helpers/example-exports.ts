// examples/exports as a user has it, but for its port.
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './nsv.ts';
import { freePort } from './ports.ts';

/** Copies it into the directory, and returns where it listens once it is started. */
export async function copyExample(directory: string): Promise<string> {
  const port = await freePort();
  cpSync(join(root, 'examples', 'exports'), directory, { recursive: true });
  const config = join(directory, 'nsv.config.mjs');
  const text = readFileSync(config, 'utf8');
  if (!text.includes("'3000'")) throw new Error('the config of the example has another port than 3000');
  writeFileSync(config, text.replace("'3000'", `'${port}'`));
  mkdirSync(join(directory, 'node_modules'));
  symlinkSync(root, join(directory, 'node_modules', 'nsv'));
  symlinkSync(join(root, 'node_modules', 'express'), join(directory, 'node_modules', 'express'));
  return `http://127.0.0.1:${port}`;
}

/** Orders an export, and returns the file that a worker has made. */
export async function order(url: string, rows: number): Promise<string> {
  const ordered = await fetch(`${url}/orders`, { method: 'POST', body: new URLSearchParams({ rows: String(rows) }) });
  const { id } = (await ordered.json()) as { id: string };
  const done = await fetch(`${url}/orders/${id}/result`);
  const { file } = (await done.json()) as { file: string };
  return file;
}
