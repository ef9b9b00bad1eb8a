import { BadValue, signalName } from '../../config/options/parsers.ts';
import { failure } from '../../shared/errors.ts';
import { type Command, jsonOption, targetsArgument } from '../command.ts';
import { printEither } from '../print.ts';

export const signal: Command = {
  summary: 'sends a signal to processes',
  arguments: [['<signal>', 'a name or a number: SIGHUP, HUP, 1'], targetsArgument],
  options: [jsonOption],
  examples: [
    ['nsv signal HUP web', 'all instances of an app'],
    ['nsv signal SIGUSR2 0', 'one process, by id'],
  ],
  async run(context, { words: [word, ...targets] }) {
    const name = parseSignal(word);
    const client = await context.connect();
    const processes = await client.signal({ targets, signal: name });
    const pids = processes.flatMap(({ pid }) => pid ?? []).join(', ');
    printEither(context.out, processes, () => `sent ${name} to ${pids}`);
  },
};

function parseSignal(word: string | undefined): NodeJS.Signals {
  try {
    return signalName(word);
  } catch (error) {
    if (error instanceof BadValue) throw failure('BAD_USAGE', { detail: `the signal ${error.message}` });
    throw error;
  }
}
