// The README and the pages of docs/ as somebody would go through them, typing each command.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../nsv.ts';
import { type Block, blocksOf, shownFiles } from './blocks.ts';
import { missingFor, Place } from './place.ts';

export interface Page {
  page: string;
  text: string;
  blocks: Block[];
  files: { name: string; text: string }[];
}

const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));

export const pages: Page[] = ['README.md', ...docs.map((name) => `docs/${name}`)].map((page) => {
  const text = readFileSync(join(root, page), 'utf8');
  return { page, text, blocks: blocksOf(page, text), files: shownFiles(text) };
});

const commandsOf = ({ blocks }: Page) => blocks.flatMap(({ notRun, commands }) => (notRun ? [] : commands));

/** Those of which something is run. */
export const typedPages = pages.filter(({ blocks }) => blocks.some(({ notRun }) => !notRun));

/** Those that count what a reload under load loses. Beside other busy programs the load itself gets no time. */
export const pagesWithLoad = typedPages.filter((page) =>
  commandsOf(page).some((line) => line.includes('bench/load.mjs')),
);

/** Types all commands of a page, in a place of its own. What has gone wrong, and the processes that are left. */
export async function typed({ blocks, files }: Page): Promise<{ wrong: string[]; left: string[] }> {
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
  return { wrong, left: await place.dispose() };
}
