import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pages } from './helpers/pages.ts';

const root = join(import.meta.dirname, '..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
const allPages = ['README.md', 'CONTRIBUTING.md', ...docs.map((name) => `docs/${name}`)];

describe('the generated page', async () => {
  it.each(Object.entries(await pages(read)))('%s matches the tables (npm run docs)', (name, text) => {
    expect(read(name)).toBe(text);
  });
});

it('docs/queue.md shows the claim query of the example store', () => {
  const [, shown] = /```sql\n(.*?)\n```/s.exec(read('docs/queue.md'))!;
  expect(read('examples/postgres-store/tasks.sql')).toContain(shown);
});

describe('a link', () => {
  it.each(allPages)('in %s leads to an existing file and heading', (page) => {
    const targets = [...read(page).matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, target]) => target!);
    expect(targets.filter((target) => !leadsSomewhere(page, target))).toEqual([]);
  });

  it('leads from the index to every page', () => {
    const index = read('docs/README.md');
    expect(docs.filter((name) => name !== 'README.md' && !index.includes(`(${name})`))).toEqual([]);
  });
});

function leadsSomewhere(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(root, file))) return false;
  return anchor === undefined || anchorsOf(read(file)).includes(anchor);
}

/** As GitHub makes them. */
function anchorsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!.toLowerCase());
  return headings.map((heading) => heading.replaceAll(/[^\w\- ]/g, '').replaceAll(' ', '-'));
}
