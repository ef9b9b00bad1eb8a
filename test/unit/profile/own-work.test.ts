import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CallNode } from '../../../src/profile/call-tree.ts';
import { withoutOwnWork } from '../../../src/profile/own-work.ts';
import { installed } from '../../../src/shared/paths.ts';

const worker = join(installed.bundles, 'worker', 'insight', 'main.js');
const call = (name: string, url: string, self: number, ...children: number[]): CallNode => ({
  frame: { name, url, line: 1 },
  self,
  children,
});

it('the work of nsv in the process is left out, unless it calls the app or is called by it', () => {
  const nodes = [
    call('(root)', '', 1, 1, 3, 6),
    call('runMicrotasks', '', 2, 2),
    call('cpu', worker, 4, 5),
    call('serve', '/srv/app.js', 8, 4),
    call('listen', worker, 16),
    call('dispatch', '', 32),
    call('hear', worker, 64, 7),
    call('onmessage', '/srv/app.js', 128),
  ];
  const kept = withoutOwnWork({ unit: 'microseconds', nodes }).nodes.filter(({ self }) => self > 0);
  expect(kept.map(({ frame }) => frame.name)).toEqual([
    '(root)',
    'runMicrotasks',
    'serve',
    'listen',
    'hear',
    'onmessage',
  ]);
});
