import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pages } from './helpers/pages.ts';

const root = join(import.meta.dirname, '..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');

describe('a generated page is what the tables say (npm run docs)', async () => {
  it.each(Object.entries(await pages(read)))('%s', (name, text) => {
    expect(read(name)).toBe(text);
  });
});
