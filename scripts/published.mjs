// package.json as it is published: without the scripts and tools of a checkout, of which npm warns whoever installs the package. npm runs
// this before it packs, and with "restore" afterwards.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const file = join(root, 'package.json');
const whole = join(root, 'node_modules', '.package.json');

if (process.argv[2] === 'restore') renameSync(whole, file);
else {
  const text = readFileSync(file, 'utf8');
  const { scripts: _, devDependencies: __, overrides: ___, ...published } = JSON.parse(text);
  writeFileSync(whole, text);
  writeFileSync(file, `${JSON.stringify(published, null, 2)}\n`);
}
