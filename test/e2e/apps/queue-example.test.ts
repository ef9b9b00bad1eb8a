// The example of docs/queue.md, as it is.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { copyExample, order } from '../../helpers/example-exports.ts';
import { homeForEach } from '../../helpers/nsv.ts';

const nsv = homeForEach();

it('the example creates the files of its exports in workers', { tags: 'full' }, async () => {
  const directory = join(nsv.directory, 'exports');
  const url = await copyExample(directory);
  await nsv.ok('start', directory);
  const file = await order(url, 2);
  expect(readFileSync(file, 'utf8')).toBe('number,square\n1,1\n2,4\n');
  rmSync(file);
  const { stdout } = await nsv.run('queue', 'exports', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ name: 'exports', counts: { completed: 1, failed: 0 } });
});
