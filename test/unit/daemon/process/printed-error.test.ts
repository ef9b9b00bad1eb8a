// What programs print when they fail.
import { describe, expect, it } from 'vitest';
import { errorIn, heapExhaustedIn } from '../../../../src/daemon/process/death/printed-error.ts';

const lines = (text: string) => text.split('\n').filter((line) => line.trim() !== '');
const found = (text: string) => errorIn(lines(text));

const fatal = `/app/web.js:3
  throw new TypeError('no\\nroom');
  ^

TypeError: no
room
    at serve (/app/web.js:3:9)
    at Object.<anonymous> (/app/my dir (1)/web.js:7:1)
    at async file:///app/start.mjs:1:20
    at new Promise (<anonymous>)
    at node:internal/main/run_main_module:28:49 {
  code: 'NO_ROOM',
  [cause]: Error: inner
      at inner (/app/inner.js:1:1)
}

Node.js v22.1.0`;

describe('an uncaught error', () => {
  it('is found with its headline and its calls, and without its cause', () => {
    expect(found(fatal)).toEqual({
      headline: 'TypeError: no',
      isFatal: true,
      frames: [
        { function: 'serve', file: '/app/web.js', line: 3, column: 9 },
        { function: 'Object.<anonymous>', file: '/app/my dir (1)/web.js', line: 7, column: 1 },
        { function: '', file: 'file:///app/start.mjs', line: 1, column: 20 },
        { function: '', file: 'node:internal/main/run_main_module', line: 28, column: 49 },
      ],
    });
  });

  it('is found below the longer excerpt that Node prints of TypeScript that it cannot strip', () => {
    const printed = `file:///app/web.ts:2
const paint = 1;
enum Colour { Red }
^^^^^^^^^^^^^^^^^^^
console.log(Colour.Red);

SyntaxError [ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX]: TypeScript enum is not supported in strip-only mode
    at parseTypeScript (node:internal/modules/typescript:68:40)`;
    expect(found(printed)).toMatchObject({
      headline: expect.stringMatching(/^SyntaxError .*: TypeScript enum is not supported/),
      frames: [{ file: 'file:///app/web.ts', line: 2 }, {}],
    });
  });

  it('is found below other errors, which the program has only reported', () => {
    expect(found(`Error: reported\n    at report (/app/log.js:1:1)\n${fatal}`)?.headline).toBe('TypeError: no');
  });

  it('is found if its event was emitted elsewhere', () => {
    const text = `node:events:497
      throw er; // Unhandled 'error' event
      ^

Error: listen EADDRINUSE: address already in use :::3000
    at Server.setupListenHandle [as _listen2] (node:net:1908:16)
Emitted 'error' event on Server instance at:
    at emitErrorNT (node:net:1887:8) {
  code: 'EADDRINUSE',
}
Node.js v22.1.0`;
    expect(found(text)).toEqual({
      headline: 'Error: listen EADDRINUSE: address already in use :::3000',
      isFatal: true,
      frames: [{ function: 'Server.setupListenHandle [as _listen2]', file: 'node:net', line: 1908, column: 16 }],
    });
  });

  it('has its file if it is a syntax error, although its stack does not contain it', () => {
    const text = `/app/broken.js:2\nlet let;\n    ^^^\n\nSyntaxError: let is disallowed\n    at wrapSafe (node:internal/modules/cjs/loader:1378:20)`;
    expect(found(text)?.frames[0]).toEqual({ function: '', file: '/app/broken.js', line: 2, column: null });
  });

  it('may be a value that is not an error', () => {
    const text = `node:internal/process/promises:394\n      triggerUncaughtException(err, true);\n      ^\n\n[UnhandledPromiseRejection: This error originated ... reason "x".] {\n  code: 'ERR_UNHANDLED_REJECTION'\n}`;
    expect(found(text)).toMatchObject({
      headline: expect.stringMatching(/^\[Unhandled.*\]$/),
      frames: [],
      isFatal: true,
    });
  });
});

describe('an uncaught error that the preload has printed', () => {
  it('is found with its headline and its calls, between errors that the program has only reported', () => {
    const text = `Error: reported\n    at report (/app/log.js:1:1)
Uncaught TypeError: no
room
    at serve (/app/web.js:3:9) {
  [cause]: Error: inner
      at inner (/app/inner.js:1:1)
}

Node.js v22.1.0
Error: reported while it left\n    at report (/app/log.js:1:1)`;
    expect(found(text)).toEqual({
      headline: 'TypeError: no',
      isFatal: true,
      frames: [{ function: 'serve', file: '/app/web.js', line: 3, column: 9 }],
    });
  });

  it('may be a value that is not an error', () => {
    const text = "Error: reported\n    at report (/app/log.js:1:1)\nUncaught 'only text'\n\nNode.js v22.1.0";
    expect(found(text)).toEqual({ headline: "'only text'", isFatal: true, frames: [] });
  });

  it('is not one that the program has caught and printed with "Uncaught"', () => {
    expect(found('Uncaught Error: no\n    at serve (/app/web.js:3:9)')).toMatchObject({ isFatal: false });
  });
});

describe('an error that a program has printed itself', () => {
  it('is found, but is not fatal', () => {
    const text = 'starting\nError: no database\nat 10.0.0.1\n    at connect (/app/db.js:9:1)\nbye';
    expect(found(text)).toEqual({
      headline: 'Error: no database',
      isFatal: false,
      frames: [{ function: 'connect', file: '/app/db.js', line: 9, column: 1 }],
    });
  });

  it('is not found in other text', () => {
    expect(found('')).toBeUndefined();
    expect(found('at your service\nlistening at 3000')).toBeUndefined();
    expect(found('    at lonely (/app/a.js:1:1)')).toBeUndefined();
    expect(found('  ^')).toBeUndefined();
  });
});

describe('an error of Deno', () => {
  const thrown = `error: Uncaught (in promise) TypeError: no database
function connect(): never { throw new TypeError('no database'); }
                                  ^
    at connect (file:///app/db.ts:1:35)
    at file:///app/db.ts:2:1`;
  const cause = 'Caused by: Error: refused\n    at query (file:///app/query.ts:4:9)';
  const frame = { function: 'connect', file: 'file:///app/db.ts', line: 1, column: 35 };

  it.each([
    ['alone', thrown],
    ['with its cause', `${thrown}\n${cause}`],
    ['below one that the program has printed', `Error: reported\n    at report (/app/log.js:1:1)\n${thrown}`],
  ])('is found %s', (_, text) => {
    expect(found(text)).toMatchObject({ headline: 'TypeError: no database', isFatal: true });
    expect(found(text)?.frames[0]).toEqual(frame);
  });

  it('is found if a module cannot be loaded', () => {
    const text = `error: Import "hono" not a dependency
  hint: If you want to use the npm package, try running \`deno add npm:hono\`
    at file:///app/web.ts:2:15

Stack backtrace:
   0: <unknown>`;
    expect(found(text)).toMatchObject({
      headline: 'Import "hono" not a dependency',
      frames: [{ file: 'file:///app/web.ts', line: 2 }],
    });
  });

  it('is not mixed with another stack', () => {
    const text =
      "error: disk full\n    at write (/app/a.js:1:1)\nEmitted 'error' event at:\n    at emit (/app/b.js:1:1)";
    expect(found(text)).toMatchObject({ headline: 'disk full', frames: [{ function: 'write' }] });
  });
});

it('an error of Bun is found without its version', () => {
  const text = `49 |     er = args[0];
50 |     throw er;
                 ^
error: Failed to start server. Is port 80 in use?
      at emitError (node:events:50:13)

Bun v1.4.5 (Linux x64)`;
  expect(found(text)?.headline).toBe('Failed to start server. Is port 80 in use?');
});

describe('the fatal message of V8', () => {
  it.each([
    'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
    'FATAL ERROR: Ineffective mark-compacts near heap limit Allocation failed - JavaScript heap out of memory',
    '# Fatal JavaScript out of memory: Reached heap limit',
  ])('is found above the native stack trace: %s', (words) => {
    expect(
      heapExhaustedIn(['<--- Last few GCs --->', words, '----- Native stack trace -----', ' 1: 0xb0a2 node']),
    ).toBe(words);
  });

  it('is not found in other messages', () => {
    expect(heapExhaustedIn(['FATAL ERROR: v8::ToLocalChecked Empty MaybeLocal', 'heap out of memory'])).toBeUndefined();
  });
});
