import { expect, it } from 'vitest';
import { renderFailure, renderFailureJson } from '../../../../src/cli/render/failure.ts';
import { failure } from '../../../../src/shared/errors.ts';

it('a failure states what happened, and below it what to do', async () => {
  expect(await renderFailure(failure('NO_SUCH_APP', { target: 'wbe' }))).toBe(
    'nsv: no app matches "wbe"\n     run "nsv list" to see the names in use',
  );
});

it('the cause comes first, and the last lines of the app below it', async () => {
  const error = failure(
    'NOT_READY',
    { name: 'web', reason: 'exited with code 1' },
    { output: ['Error: no', '  at x\x1b[0m'] },
  );
  expect((await renderFailure(error)).split('\n').slice(0, 3)).toEqual([
    'nsv: "web" did not start: exited with code 1',
    '  | Error: no',
    '  |   at x\\x1b[0m',
  ]);
});

it('a failure on a terminal has colour, is indented, and does not break inside a word', async () => {
  const error = failure('NO_SUCH_SCRIPT', { script: `/srv/${'long/'.repeat(8)}app.js` });
  const lines = (await renderFailure(error, { tty: true, columns: 44, colour: true })).split('\n');
  expect(lines).toEqual([
    `\x1b[31mnsv:\x1b[39m "/srv/${'long/'.repeat(8)}app.js"`,
    '     is not a file, a program on the PATH,',
    '     or a known app',
    '     check the path, or run "nsv list" to',
    '     see the names in use',
  ]);
});

it('a failure as JSON is one object on one line', () => {
  const text = renderFailureJson(failure('NO_SUCH_APP', { target: 'a\nb' }));
  expect(text).not.toContain('\n');
  expect(JSON.parse(text)).toEqual({
    error: { code: 'NO_SUCH_APP', message: 'no app matches "a\nb"', hint: expect.any(String) },
  });
});
