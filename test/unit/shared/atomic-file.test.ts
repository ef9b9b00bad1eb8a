import { chmodSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { draftOf, writeAtomically, writeAtomicallyInBackground } from '../../../src/shared/atomic-file.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = temporaryDirectory();
  file = join(folder, 'list.json');
});

const ways: [string, (content: string) => Promise<void>][] = [
  ['at once', async (content) => writeAtomically(file, content)],
  ['for a process only', async (content) => writeAtomically(file, content, { durable: false })],
  ['in the background', (content) => writeAtomicallyInBackground(file, [Buffer.from(content)])],
];

describe.each(ways)('a file that is written %s', (_, write) => {
  it('has the new content and nothing beside it, and is private', async () => {
    await write('old and longer\n');
    await write('new\n');
    expect(readFileSync(file, 'utf8')).toBe('new\n');
    expect(readdirSync(folder)).toEqual(['list.json']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('overwrites the draft that a dead writer has left', async () => {
    writeFileSync(draftOf(file), 'half of someth');
    await write('whole\n');
    expect(readFileSync(file, 'utf8')).toBe('whole\n');
    expect(readdirSync(folder)).toEqual(['list.json']);
  });

  it('is unchanged if it cannot be replaced', async () => {
    await write('old\n');
    mkdirSync(draftOf(file));
    await expect(write('new\n')).rejects.toMatchObject({ code: 'EISDIR' });
    expect(readFileSync(file, 'utf8')).toBe('old\n');
  });
});

it('a file gets the requested mode, whatever the umask and the draft of a dead writer', () => {
  const umask = process.umask(0o077);
  try {
    writeFileSync(draftOf(file), '');
    chmodSync(draftOf(file), 0o600);
    writeAtomically(file, 'text', { mode: 0o755 });
  } finally {
    process.umask(umask);
  }
  expect(statSync(file).mode & 0o777).toBe(0o755);
});

it('beforeRename still finds the old content', async () => {
  writeAtomically(file, 'old');
  let found = '';
  await writeAtomicallyInBackground(file, [Buffer.from('new')], {
    beforeRename: () => {
      found = readFileSync(file, 'utf8');
    },
  });
  expect([found, readFileSync(file, 'utf8')]).toEqual(['old', 'new']);
});

it('a draft that is a hard link to another file is not overwritten', async () => {
  const other = join(folder, 'other');
  writeFileSync(other, 'content');
  linkSync(other, draftOf(file));
  await writeAtomicallyInBackground(file, [Buffer.from('new')]);
  expect([readFileSync(other, 'utf8'), readFileSync(file, 'utf8')]).toEqual(['content', 'new']);
});
