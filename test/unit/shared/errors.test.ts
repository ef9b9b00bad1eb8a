import { describe, expect, it } from 'vitest';
import { catalogue, failure } from '../../../src/shared/errors.ts';

/** Any parameter reads as its own name, as a list of one text. */
const placeholders = new Proxy({}, { get: (_, name) => [`<${String(name)}>`] });

describe('the error table', () => {
  it.each(Object.entries(catalogue()))('has a sentence with its values and a hint for %s', (_, row) => {
    const message = String((row.message as (params: object) => string)(placeholders));
    expect(message).not.toMatch(/^[A-Z]|\.$|undefined/);
    expect(row.hint).not.toMatch(/^[A-Z]|\.$|^$/);
    // The package has no such directory.
    expect(`${message} ${row.hint}`).not.toContain('docs/');
  });

  it('has singular and plural forms', () => {
    expect(failure('PROBLEMS_FOUND', { home: '/h', problems: 1 }).message).toBe('1 problem in /h');
    expect(failure('PROBLEMS_FOUND', { home: '/h', problems: 2 }).message).toBe('2 problems in /h');
    expect(failure('BAD_CONFIG', { file: 'nsv.config.js', mistakes: 1 }).message).toMatch(/^found an error in nsv/);
  });
});
