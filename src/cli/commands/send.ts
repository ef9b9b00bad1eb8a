import { type Command, jsonOption } from '../command.ts';
import { printProcesses } from '../print.ts';

export const send: Command = {
  summary: 'writes a line to the standard input of processes',
  notes: 'The app must have been started with --stdin pipe. Every instance gets the line.',
  arguments: [
    ['<target>', 'name, id, namespace, "all" or /regex/'],
    ['<line>', 'the text; a line break is added'],
  ],
  options: [jsonOption],
  examples: [
    ['nsv send game "say hello"', 'to an app that was started with --stdin pipe'],
    ['nsv send 3 reload', 'to one process by id'],
  ],
  async run(context, { words: [target = '', line = ''] }) {
    const client = await context.connect();
    await printProcesses(context.out, await client.send({ targets: [target], text: `${line}\n` }));
  },
};
