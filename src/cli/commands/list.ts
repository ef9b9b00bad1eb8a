import { failure } from '../../shared/errors.ts';
import { type Command, jsonOption, listIfRunning, someTargetsArgument } from '../command.ts';
import { printProcesses } from '../print.ts';
import { columns, columnsOf, orderOf, sorted } from '../render/table/columns.ts';

export const list: Command = {
  summary: 'lists processes with their status, CPU and memory',
  notes: `On a terminal, the table fits its width: long names are shortened in the middle, and less important columns are left out. In a
pipe, all columns are printed without frames, separated by at least two spaces, with "-" for an empty value. Without a daemon the list
is empty.`,
  arguments: [someTargetsArgument],
  options: [
    ['--columns <names>', `only these columns, in this order: ${columns.map(({ title }) => title).join(', ')}`],
    ['--sort <column>', 'sort by a column, or with memory:desc the largest first (default: id)'],
    jsonOption,
  ],
  examples: [
    ['nsv list', 'all processes'],
    ['nsv list web "/^api-/"', '"web", and all apps that start with "api-"'],
    ['nsv list --columns name,pid,memory', 'three columns'],
    ['nsv list --sort memory:desc', 'the largest first'],
    ['nsv list --json | jq ".[].pid"', 'all fields, for scripts'],
  ],
  async run(context, { words, options }) {
    const chosen = options.columns === undefined ? undefined : columnsOf(String(options.columns));
    if (chosen && context.out.json)
      throw failure('BAD_OPTION', { problems: ['--columns and --json cannot be combined: JSON has all fields'] });
    const order = options.sort === undefined ? undefined : orderOf(String(options.sort));
    const processes = await listIfRunning(context, words);
    const needsFacts = [...(chosen ?? []), ...(order ? [order.column] : [])].some((column) => column.needsFacts);
    const addFacts = async () => (await import('../listing-commands.ts')).withFacts(context, words, processes);
    const rows = needsFacts && processes.length > 0 ? await addFacts() : processes;
    await printProcesses(context.out, order ? sorted(rows, order) : rows, chosen);
  },
};
