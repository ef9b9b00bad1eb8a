import { realClock } from '../../shared/clock.ts';
import type { Command } from '../command.ts';
import { onlyOne } from '../inspect/one-process.ts';
import { createPrinter } from '../logs/printer.ts';
import { logSources } from '../logs/sources.ts';
import { createLogStream } from '../logs/stream.ts';
import { forTerminal, type LogLine } from '../render/log-line.ts';

export const attach: Command = {
  summary: 'connects the terminal to the input and output of a process',
  notes: `The app must have been started with --stdin pipe. Ctrl-D or Ctrl-C detaches; the app keeps running, and its input stays
open.`,
  arguments: [['<target>', 'id of a process, or name of an app with one instance']],
  examples: [['nsv attach game', 'type into an app that was started with --stdin pipe']],
  async run(context, { words: [target = ''] }) {
    const { out } = context;
    const client = await context.connect();
    const views = await client.logs({ targets: [target] });
    const targets = [String(onlyOne(views, target, 'attach to').id)];
    // Sends nothing, but reports processes without an input before the user types.
    await client.send({ targets, text: '' });
    const render: LogLine = (_, line) => [out.terminal.tty ? forTerminal(line) : line];
    const printer = createPrinter(out, realClock, { render, matches: () => true, linesUntimed: 0 });
    const stream = createLogStream({ lines: 0, linesUntimed: 0, since: undefined }, printer);
    await stream.add(logSources(views, ['out', 'err']));
    const passInput = async () => {
      for await (const text of context.input()) await client.send({ targets, text });
    };
    await Promise.race([stream.follow(realClock), passInput()]);
  },
};
