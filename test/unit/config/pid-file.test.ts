import { expect, it } from 'vitest';
import { numberedPidFile, pidFileOf } from '../../../src/config/pid-file.ts';

it.each([
  ['/run/web.pid', ['/run/web.pid', '/run/web-1.pid', '/run/web-12.pid']],
  ['/run/web-0.pid', ['/run/web-0.pid', '/run/web-1.pid', '/run/web-12.pid']],
  ['/run.d/web', ['/run.d/web', '/run.d/web-1', '/run.d/web-12']],
])('the PID file %s is numbered by slot', (named, files) => {
  expect([0, 1, 12].map((slot) => pidFileOf(named, slot))).toEqual(files);
});

it('a PID file of PM2 has a number for the first instance too', () => {
  expect(numberedPidFile('/run/web.pid')).toBe('/run/web-0.pid');
  expect(numberedPidFile('pids/web')).toBe('pids/web-0');
});
