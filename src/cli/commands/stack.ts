import { withInsight } from '../../client/insight.ts';
import { stackOf } from '../../client/stacks/stack.ts';
import type { ProcessView } from '../../ipc/views.ts';
import { failure } from '../../shared/errors.ts';
import { bounded } from '../../shared/promises.ts';
import { type Command, jsonOption, targetsArgument } from '../command.ts';
import { printPainted } from '../print.ts';
import { renderStack } from '../render/stack.ts';

/** Processes that are asked at the same time. */
const mostAtOnce = 24;

export const stack: Command = {
  summary: 'shows where processes are: idle, busy or blocked, and in which function',
  notes: `For Node apps, without any change to them. A process is watched for a tenth of a second. If its event loop is blocked, the
kernel's view of it is shown.`,
  arguments: [targetsArgument],
  options: [jsonOption],
  examples: [
    ['nsv stack web', 'all instances of an app'],
    ['nsv stack 3 --json', 'one process, by id'],
  ],
  async run(context, { words }) {
    const client = await context.connect();
    const processes = await client.list({ targets: words });
    // One connection for each: closing it ends the answer of a process that goes on and on.
    const view = bounded(mostAtOnce, (process: ProcessView) =>
      withInsight(
        () => context.open(),
        (insight) => stackOf(insight, process),
      ),
    );
    const views = await Promise.all(processes.map(view));
    const [first] = views;
    if (views.every(({ state }) => state === 'unknown')) {
      const reason = first?.problem ?? 'there are no apps';
      throw failure('CANNOT_INSPECT', { name: first?.name ?? words.join(' '), reason });
    }
    await printPainted(context.out, views, (paint) => views.map((view) => renderStack(view, paint)).join('\n'));
  },
};
