// What the README and docs/ tell people to type works as printed, page by page, and every block of commands that is not
// run here says why. Pages that put an app under load: test/alone.
import { describe, expect, it } from 'vitest';
import { unlabelled } from '../../helpers/docs/blocks.ts';
import { pages, pagesWithLoad, typed, typedPages } from '../../helpers/docs/typed.ts';

const blocks = pages.flatMap((page) => page.blocks);

describe.concurrent('the commands work as printed', () => {
  it.each(typedPages.filter((page) => !pagesWithLoad.includes(page)))('in $page', async (page) =>
    expect(await typed(page)).toEqual({ wrong: [], left: [] }),
  );
});

describe('a block of commands', () => {
  it('is run, or says why not', () => {
    const notRun = blocks.filter((block) => block.notRun);
    for (const { page, line, notRun: why } of notRun) console.log(`not run: ${page}:${line}: ${why}`);
    expect(notRun.filter(({ notRun: why }) => why!.length < 5)).toEqual([]);
    expect(blocks.filter((block) => !block.notRun && block.commands.length === 0)).toEqual([]);
  });

  it('is marked as one', () => {
    expect(pages.flatMap(({ page, text }) => unlabelled(text).map((line) => `${page}: ${line}`))).toEqual([]);
  });
});
