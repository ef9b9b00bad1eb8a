// What the README and docs/ tell people to type works as printed, page by page, and every block of commands that is not
// run here says why. Pages that put an app under load: test/alone.
import { describe, expect, it } from 'vitest';
import { unlabelled } from '../../helpers/docs/blocks.ts';
import { type Page, pages, pagesWithLoad, typed, typedPages } from '../../helpers/docs/typed.ts';
import { variants } from '../../helpers/variants.ts';

const blocks = pages.flatMap((page) => page.blocks);

/** Pages of the promises that nsv is chosen for. */
const core = ['docs/daemon-death.md', 'docs/run.md', 'docs/update.md'];
const rank = ({ page }: Page) => (core.includes(page) ? 0 : 1);
const withoutLoad = typedPages
  .filter((page) => !pagesWithLoad.includes(page))
  .sort((one, other) => rank(one) - rank(other));

describe.concurrent('the commands in the docs', () => {
  variants(withoutLoad, core.length)('work as printed: $page', async (page) =>
    expect(await typed(page)).toEqual({ wrong: [], left: [] }),
  );
});

describe('a block of commands', () => {
  it('is run, or has a comment that gives the reason', () => {
    const notRun = blocks.filter((block) => block.notRun);
    for (const { page, line, notRun: why } of notRun) console.log(`not run: ${page}:${line}: ${why}`);
    expect(notRun.filter(({ notRun: why }) => why!.length < 5)).toEqual([]);
    expect(blocks.filter((block) => !block.notRun && block.commands.length === 0)).toEqual([]);
  });

  it('is labelled as such', () => {
    expect(pages.flatMap(({ page, text }) => unlabelled(text).map((line) => `${page}: ${line}`))).toEqual([]);
  });
});
