import { expect, it } from 'vitest';
import { fileKeys } from '../../../../src/config/file/keys.ts';

it('an environment variable of another type becomes text, and an object or list becomes JSON', () => {
  const env = { PORT: 80, DEBUG: true, HOSTS: ['a', 'b'], LIMITS: { rate: 5 } };
  const texts = { PORT: '80', DEBUG: 'true', HOSTS: '["a","b"]', LIMITS: '{"rate":5}' };
  expect(fileKeys.env!.parse(env)).toEqual(texts);
});

it('an undefined environment variable is left out', () => {
  expect(fileKeys.env!.parse({ DEBUG: undefined, PORT: 80 })).toEqual({ PORT: '80' });
});
