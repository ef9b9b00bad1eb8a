// `nsv stack`: where processes are, whatever they do.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { StackView } from '../../../src/client/stacks/stack.ts';
import { eventually } from '../../helpers/eventually.ts';
import { fixture, homeForEach } from '../../helpers/nsv.ts';

const nsv = homeForEach();

/** Starts an app that says when it is about to do what is asked for. */
async function startDoing(name: string, action: string): Promise<void> {
  const script = nsv.script(`${name}.js`, `setTimeout(function ${name}() { console.log('now'); ${action} }, 10);`);
  await nsv.ok('start', script, '--name', name);
  const [view] = await nsv.list(name);
  await eventually(() => readFileSync(view!.outFile!, 'utf8').includes('now'));
}

async function stacks(...targets: string[]): Promise<Map<string, StackView>> {
  const views = JSON.parse(await nsv.ok('stack', '--json', ...targets)) as StackView[];
  return new Map(views.map((view) => [view.name, view]));
}

describe('nsv stack', () => {
  it('shows what a process waits for, or where it spends its time', async () => {
    await startDoing('idles', 'setInterval(() => {}, 60_000);');
    await startDoing('works', 'const end = Date.now() + 5; while (Date.now() < end); setImmediate(works);');
    await nsv.sleeper('sleeps');
    await nsv.ok('start', fixture('answers-for-ever.cjs'), '--name', 'lies');
    const views = await stacks('all');
    expect(views.get('idles')).toMatchObject({ state: 'idle', waitsFor: { Timeout: 1 }, frames: [] });
    expect(views.get('works')).toMatchObject({ state: 'busy' });
    // V8's sampler may miss the function itself, but not that something runs.
    expect(views.get('works')!.frames).not.toEqual([]);
    expect(views.get('sleeps')).toMatchObject({ state: 'unknown', problem: 'it is not a Node program' });
    expect(views.get('lies')).toMatchObject({ state: 'unknown', problem: 'its answer does not end' });
  });

  it('fails for a program that is not Node', { tags: 'full' }, async () => {
    await nsv.sleeper('sleeps');
    expect(await nsv.fails(7, 'stack', 'sleeps')).toContain('"sleeps" cannot be inspected: it is not a Node program');
  });
});
