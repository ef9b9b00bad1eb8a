// Runs a command line of PM2 by those of nsv.
import { basename, extname } from 'node:path';
import { type Context, connectIfRunning, type Output } from '../command.ts';
import { runProgram } from '../program.ts';
import { knownTargets, runningAmong } from './known.ts';
import { type Translation, translate } from './translate.ts';

/** Throws as the commands of nsv do. */
export async function performPm2(argv: readonly string[], outer: Context): Promise<void> {
  const translation = translate(argv);
  const context = mannered(outer, translation);
  for (const remark of translation.remarks) context.out.note(`nsv: ${remark}`);
  await (ways[translation.nsv[0]!] ?? usual)(translation, context);
  if (translation.attach) await runProgram(['logs', ...namesOf(translation)], context);
}

type Way = (translation: Translation, context: Context) => Promise<void>;

/** Commands that do not mean quite the same in nsv. */
const ways: Record<string, Way> = { start, ping, id };

async function usual({ command, nsv, words, tail }: Translation, context: Context): Promise<void> {
  const targets = command.targets ? await knownTargets(context, words) : words;
  await runProgram([...nsv, ...targets, ...tail], context);
}

/** PM2 starts what runs already anew, when it is given by its name. */
async function start({ nsv, words, tail }: Translation, context: Context): Promise<void> {
  const running = await runningAmong(context, words);
  const others = words.filter((word) => !running.includes(word));
  if (running.length > 0) await runProgram(['start', ...running, '--force', ...tail], context);
  if (others.length > 0 || running.length === 0) await runProgram([...nsv, ...others, ...tail], context);
}

/** PM2 launches its daemon to have an answer. */
async function ping(_: Translation, context: Context): Promise<void> {
  await context.connect({ launch: true });
  context.out.write("{ msg: 'pong' }");
}

/** As the list that PM2 prints. */
async function id({ words }: Translation, context: Context): Promise<void> {
  const client = await connectIfRunning(context);
  const processes = client ? await client.list({ targets: [] }) : [];
  const ids = processes.filter(({ name }) => words.includes(name)).map((process) => process.id);
  context.out.write(ids.length > 0 ? `[ ${ids.join(', ')} ]` : '[]');
}

/** What the apps that were started are called. */
function namesOf({ nsv, words, tail }: Translation): string[] {
  const name = tail.find((word) => word.startsWith('--name='))?.slice('--name='.length);
  if (name !== undefined) return [name];
  return nsv[0] === 'start' ? words.map((word) => basename(word, extname(word))) : words;
}

function mannered(context: Context, { silent, colourless }: Translation): Context {
  if (!silent && !colourless) return context;
  const { out } = context;
  const quieter: Output = {
    get terminal() {
      return colourless ? { ...out.terminal, colour: false } : out.terminal;
    },
    json: out.json,
    write: silent ? () => {} : out.write,
    note: silent ? () => {} : out.note,
    pass: silent ? async () => {} : out.pass,
  };
  return { ...context, out: quieter };
}
