// The commands of pages that reload an app under load work as printed, and lose no request.
import { expect, it } from 'vitest';
import { pagesWithLoad, typed } from '../helpers/docs/typed.ts';
import { variants } from '../helpers/variants.ts';

it('at least one page has commands that reload an app under load', () => expect(pagesWithLoad).not.toEqual([]));

variants(pagesWithLoad)('the commands in $page work as printed', async (page) =>
  expect(await typed(page)).toEqual({ wrong: [], left: [] }),
);
