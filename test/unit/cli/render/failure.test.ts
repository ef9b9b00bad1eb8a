import { expect, it } from 'vitest';
import { renderFailure, renderFailureJson } from '../../../../src/cli/render/failure.ts';
import { failure } from '../../../../src/shared/errors.ts';

it('a failure says what happened, and below it what to do', () => {
  expect(renderFailure(failure('NO_SUCH_APP', { target: 'wbe' }))).toBe(
    'nsv: no app matches "wbe"\n     run "nsv list" to see the names in use',
  );
});

it('the last lines of the app come first', () => {
  const error = failure(
    'NOT_READY',
    { name: 'web', reason: 'exited with code 1' },
    { output: ['Error: no', '  at x\x1b[0m'] },
  );
  expect(renderFailure(error).split('\n').slice(0, 3)).toEqual([
    '  | Error: no',
    '  |   at x\\x1b[0m',
    'nsv: "web" did not become ready: exited with code 1',
  ]);
});

it('as JSON it is one object on one line', () => {
  const text = renderFailureJson(failure('NO_SUCH_APP', { target: 'a\nb' }));
  expect(text).not.toContain('\n');
  expect(JSON.parse(text)).toEqual({
    error: { code: 'NO_SUCH_APP', message: 'no app matches "a\nb"', hint: expect.any(String) },
  });
});
