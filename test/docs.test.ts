import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pages } from './helpers/pages.ts';

const docs = join(import.meta.dirname, '..', 'docs');

describe('a generated page is what the tables say (npm run docs)', async () => {
  it.each(Object.entries(await pages()))('docs/%s', (name, text) => {
    expect(readFileSync(join(docs, name), 'utf8')).toBe(text);
  });
});
