import { expect, it } from 'vitest';
import { fileKeys } from '../../../../src/config/file/keys.ts';

it('a variable that is no text becomes one, an object or a list JSON', () => {
  const env = { PORT: 80, DEBUG: true, HOSTS: ['a', 'b'], LIMITS: { rate: 5 } };
  const texts = { PORT: '80', DEBUG: 'true', HOSTS: '["a","b"]', LIMITS: '{"rate":5}' };
  expect(fileKeys.env!.parse(env)).toEqual(texts);
});

it('a variable that is undefined is as if it were not there', () => {
  expect(fileKeys.env!.parse({ DEBUG: undefined, PORT: 80 })).toEqual({ PORT: '80' });
});
