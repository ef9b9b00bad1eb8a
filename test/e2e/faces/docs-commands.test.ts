// What the README and docs/ tell people to type works as printed, page by page, and every block of commands that is not
// run here says why.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blocksOf, shownFiles, unlabelled } from '../../helpers/docs/blocks.ts';
import { missingFor, Place } from '../../helpers/docs/place.ts';
import { root } from '../../helpers/nsv.ts';

const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
const pages = ['README.md', ...docs.map((name) => `docs/${name}`)].map((page) => {
  const text = readFileSync(join(root, page), 'utf8');
  return { page, text, blocks: blocksOf(page, text), files: shownFiles(text) };
});
const blocks = pages.flatMap((page) => page.blocks);

describe.concurrent('the commands work as printed', () => {
  const withCommands = pages.filter((page) => page.blocks.some(({ notRun }) => !notRun));
  it.each(withCommands)('in $page', async ({ blocks, files }) => {
    const place = new Place();
    place.begin();
    for (const { name, text } of files) await place.write(name, text);
    const wrong: string[] = [];
    for (const { page, line, commands, notRun } of blocks) {
      for (const command of notRun ? [] : commands) {
        const missing = missingFor(command);
        if (missing) console.log(`not run: ${page}:${line}: there is no ${missing} here: ${command}`);
        const problem = missing ? undefined : await place.wrongWith(command);
        if (problem) wrong.push(`${page}:${line}: ${problem}`);
      }
    }
    const left = await place.dispose();
    expect({ wrong, left }).toEqual({ wrong: [], left: [] });
  });
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
