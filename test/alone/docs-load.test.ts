// The commands of pages that reload an app under load work as printed, and lose no request.
import { expect, it } from 'vitest';
import { pagesWithLoad, typed } from '../helpers/docs/typed.ts';
import { variants } from '../helpers/variants.ts';

it('are those of one page at least', () => expect(pagesWithLoad).not.toEqual([]));

variants(pagesWithLoad)('in $page', async (page) => expect(await typed(page)).toEqual({ wrong: [], left: [] }));
