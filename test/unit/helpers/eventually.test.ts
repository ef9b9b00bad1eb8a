// The wait on which most tests depend.
import { expect, it } from 'vitest';
import { eventually, sees } from '../../helpers/eventually.ts';

it.each([0, '', 'text', []])('eventually resolves with what a look finds: %j', async (found) => {
  const looks = [undefined, null, false, found];
  expect(await eventually(() => looks.shift())).toBe(found);
});

it('eventually waits for asynchronous looks', async () => {
  const looks = [Promise.resolve(false as const), Promise.resolve('found')];
  expect(await eventually(() => looks.shift())).toBe('found');
});

it('eventually passes on what a look throws', async () => {
  const look = () => {
    throw new Error('broken');
  };
  await expect(eventually(look)).rejects.toThrow('broken');
});

it('eventually reports after its deadline what it waited for and what it saw last', async () => {
  let looks = 0;
  const look = () => {
    looks += 1;
    return sees('the number of looks', looks) > 1_000;
  };
  const error = await eventually(look, 'a thousand looks', 20).catch((thrown: Error) => thrown.message);
  expect(error).toBe(
    `waited in vain for 0.02 s: a thousand looks\nthe last look\n  returned: false\n  the number of looks: ${looks}`,
  );
  await expect(eventually(() => false, undefined, 1)).rejects.toThrow('() => false');
});
