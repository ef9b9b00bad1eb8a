import { realClock } from '../../shared/clock.ts';
import { failure } from '../../shared/errors.ts';
import type { Command } from '../command.ts';
import { createPrinter } from '../logs/printer.ts';
import { logSources } from '../logs/sources.ts';
import { createLogStream } from '../logs/stream.ts';
import type { LogLine } from '../render/log-line.ts';

export const attach: Command = {
  summary: 'connects this terminal to a process: what is typed is its input, what it prints is shown',
  notes: `The app must have been started with --stdin pipe. Ends at the end of the input (Ctrl-D) or by Ctrl-C; the app goes
on, and its input stays open.`,
  arguments: [['<target>', 'id, or name of an app with one instance']],
  examples: [['nsv attach game', 'an app that was started with --stdin pipe']],
  async run(context, { words: [target = ''] }) {
    const { out } = context;
    const client = await context.connect();
    const views = await client.logs({ targets: [target] });
    const [process, ...others] = views;
    if (!process) throw failure('NO_SUCH_APP', { target });
    if (others.length > 0) {
      const ids = views.map(({ id }) => id).join(', ');
      throw failure('BAD_USAGE', { detail: `cannot attach to several processes: name one by its id, ${ids}` });
    }
    const targets = [String(process.id)];
    // Nothing is written by this: a process without an input is told of before somebody types.
    await client.send({ targets, text: '' });
    const render: LogLine = (_, line) => [line];
    const printer = createPrinter(out, realClock, { render, matches: () => true, linesUntimed: 0 });
    const stream = createLogStream({ lines: 0, linesUntimed: 0, since: undefined }, printer);
    await stream.add(logSources(views, ['out', 'err']));
    const passInput = async () => {
      for await (const text of context.input()) await client.send({ targets, text });
    };
    await Promise.race([stream.follow(realClock), passInput()]);
  },
};
