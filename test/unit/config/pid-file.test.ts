import { expect, it } from 'vitest';
import { numberedPidFile, pidFileOf } from '../../../src/config/pid-file.ts';

it.each([
  ['/run/web.pid', ['/run/web.pid', '/run/web-1.pid', '/run/web-12.pid']],
  ['/run/web-0.pid', ['/run/web-0.pid', '/run/web-1.pid', '/run/web-12.pid']],
  ['/run.d/web', ['/run.d/web', '/run.d/web-1', '/run.d/web-12']],
])('%s counts up', (named, files) => {
  expect([0, 1, 12].map((slot) => pidFileOf(named, slot))).toEqual(files);
});

it('PM2 numbers the first one too', () => {
  expect(numberedPidFile('/run/web.pid')).toBe('/run/web-0.pid');
  expect(numberedPidFile('pids/web')).toBe('pids/web-0');
});
