import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { CallTree } from '../../../src/profile/call-tree.ts';
import { flameOf } from '../../../src/profile/flame/layout.ts';
import { flamePage } from '../../../src/profile/flame/page.ts';

const frame = (name: string, url = 'file:///srv/app.js') => ({ name, url, line: 1 });
const tree: CallTree = {
  unit: 'microseconds',
  nodes: [
    { frame: frame('(root)', ''), self: 0, children: [1, 2, 3] },
    { frame: frame('small'), self: 10, children: [] },
    { frame: frame('large'), self: 5, children: [4] },
    { frame: frame('(idle)', ''), self: 900, children: [] },
    { frame: frame('callee'), self: 25, children: [] },
  ],
};

describe('a flame graph', () => {
  it('has the widest call first, its callees below it, and no idle time', () => {
    const { functions, bars } = flameOf(tree, 'web');
    expect(bars.map(([fn, ...numbers]) => [functions[fn]![0], ...numbers])).toEqual([
      ['(root)', 0, 0, 40, 0],
      ['large', 1, 0, 30, 5],
      ['callee', 2, 0, 25, 25],
      ['small', 1, 30, 10, 10],
    ]);
  });

  it('leaves out the narrowest of many calls', () => {
    const calls = Array.from({ length: 30_000 }, (_, at) => ({ frame: frame('f'), self: at, children: [] }));
    const root = { frame: frame('(root)', ''), self: 0, children: calls.map((_, at) => at + 1) };
    const { bars } = flameOf({ unit: 'bytes', nodes: [root, ...calls] }, 'web');
    expect(bars).toHaveLength(20_000);
    expect(bars[1]![3]).toBe(29_999);
  });
});

describe('the page of a flame graph', () => {
  const evil = '</script><script>alert(1)</script><!--';
  const nodes = tree.nodes.map((node) => ({ ...node, frame: frame(evil) }));
  const page = flamePage(flameOf({ ...tree, nodes }, `web ${evil} "'&`));
  const scripts = [...page.matchAll(/<script(.*?)>([\s\S]*?)<\/script>/g)];

  it('keeps the names of functions out of the markup', () => {
    expect(scripts.map(([, attributes]) => attributes)).toEqual([' type="application/json" id="data"', '']);
    expect(page).not.toContain('<!--');
    expect(page).toContain('<h1>web &lt;/script&gt;');
    const data = JSON.parse(scripts[0]![2]!) as { functions: string[][] };
    expect(data.functions[0]![0]).toBe(evil);
  });

  it('lets only its own script run, and loads nothing', () => {
    const hash = createHash('sha256').update(scripts[1]![2]!).digest('base64');
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'"`);
    expect(page).not.toMatch(/https?:|\bsrc=|\bhref=|url\(/);
  });
});
