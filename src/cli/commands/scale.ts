import { mostInstances } from '../../config/instances.ts';
import { failure } from '../../shared/errors.ts';
import { type Command, jsonOption } from '../command.ts';
import { printProcesses } from '../print.ts';

export const scale: Command = {
  summary: 'changes the number of instances of an app',
  notes: `Returns when all instances are running and ready. Instances that were stopped by id, or that nsv has given up on, are started
as well; instances that have finished their work are not. If the app is stopped, only its number of instances changes.`,
  arguments: [
    ['<target>', 'name or id'],
    ['<instances>', 'a number, or a change such as +2 or -1; slot 0 always stays'],
  ],
  options: [jsonOption],
  examples: [
    ['nsv scale web 4', 'four instances'],
    ['nsv scale web +2', 'two more'],
    ['nsv scale web -1', 'one fewer; the highest slot is stopped first'],
  ],
  async run(context, { words: [target = '', word = ''] }) {
    const instances = parseCount(word);
    const client = await context.connect();
    await printProcesses(context.out, await client.scale({ targets: [target], instances }));
  },
};

function parseCount(word: string): number | string {
  if (/^[+-]\d{1,5}$/.test(word)) return word;
  if (/^[1-9]\d{0,4}$/.test(word) && Number(word) <= mostInstances) return Number(word);
  if (word === '0')
    throw failure('BAD_USAGE', { detail: 'cannot scale to 0: "nsv stop" stops all processes of an app' });
  throw failure('BAD_USAGE', {
    detail: `the number of instances must be 1 to ${mostInstances}, or a change such as +2 or -1, not "${word}"`,
  });
}
