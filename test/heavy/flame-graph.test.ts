// The flame graph of `nsv profile --flame` in a real browser.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { homeForEach } from '../helpers/nsv.ts';
import { outputOf, works } from '../helpers/program.ts';

const nsv = homeForEach();
const names = ['chromium', 'chromium-browser', 'google-chrome'];
const found = await Promise.all(names.map((program) => works(program, '--version')));
const chromium = names.find((_, index) => found[index]);
if (!chromium) console.warn('skipped: there is no Chromium');

/** Without a network of its own the page would not show more: its policy lets nothing be loaded. */
function browse(...options: string[]): Promise<string> {
  const args = ['--headless', '--no-sandbox', '--disable-gpu', '--window-size=1200,600', ...options];
  return outputOf(chromium!, args, { cwd: nsv.directory });
}

it.skipIf(!chromium)('a flame graph shows the hot function as its widest bar, and nothing of nsv', async () => {
  const source = `function burn() { let sum = 0; for (let at = 0; at < 2e7; at += 1) sum += Math.sqrt(at); return sum; }
    setInterval(function work() { burn(); }, 1);`;
  await nsv.ok('start', nsv.script('burns.js', source), '--name', 'web');
  const { flame } = JSON.parse(await nsv.ok('profile', 'web', '--cpu=1s', '--flame', '--json')) as { flame: string };
  expect(statSync(flame).mode & 0o777).toBe(0o600);
  const page = await browse('--dump-dom', `file://${flame}`);
  const bars = [...page.matchAll(/<button class="(\w+)"[^>]* style="([^"]*)">([^<]*)</g)].map(
    ([, origin, style, name]) => ({ origin, name, width: Number(/width: ([\d.]+)%/.exec(style!)?.[1]) }),
  );
  const widest = bars.filter(({ origin }) => origin === 'app').sort((a, b) => b.width - a.width)[0];
  expect(['work', 'burn']).toContain(widest?.name);
  expect(bars.find(({ name }) => name === 'burn')?.width).toBeGreaterThan(50);
  expect(page).not.toContain('insight/main.js');
  await browse('--screenshot=flame.png', `file://${flame}`);
  expect(readFileSync(join(nsv.directory, 'flame.png')).subarray(1, 4).toString()).toBe('PNG');
});
