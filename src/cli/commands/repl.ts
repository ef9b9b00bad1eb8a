import { answerAs } from '../../client/insight.ts';
import type { ProcessView } from '../../ipc/views.ts';
import { failure } from '../../shared/errors.ts';
import { objectOf } from '../../shared/shapes.ts';
import { type Command, type Context, jsonOption } from '../command.ts';
import { askProcess, oneProcess } from '../inspect/one-process.ts';
import { printEither } from '../print.ts';
import { harmless, printable } from '../render/text.ts';

interface Evaluated {
  text: string;
  threw: boolean;
}

export const repl: Command = {
  summary: 'runs JavaScript inside a process, line by line',
  notes: `For Node apps, without any change to them. The code runs in the global scope, with the app's rights: it can change the app, leak its
secrets, or stop it, and what it has changed stays. "require" and "await" work. A line that runs for 5 s without an "await" is
interrupted. Ctrl-D ends.`,
  arguments: [['<target>', 'id of a process, or name of an app with one instance']],
  options: [['-e, --eval <code>', 'run this, print the result, and end; the exit code is 7 if it throws'], jsonOption],
  examples: [
    ['nsv repl web', 'type code'],
    ['nsv repl 3 --eval "process.versions.openssl"', 'one expression in one process'],
  ],
  async run(context, { words: [target = ''], options }) {
    const process = await oneProcess(context, target, 'choose');
    if (typeof options.eval === 'string') {
      const answer = await evaluated(context, process, options.eval);
      printEither(context.out, answer, () => answer.text);
      if (answer.threw) throw failure('EVALUATION_FAILED', { name: process.name });
      return;
    }
    context.out.note(
      `nsv: code runs inside process ${process.id} of "${printable(process.name)}" (pid ${process.pid}) and can break it; Ctrl-D ends`,
    );
    for await (const line of linesOf(context.input())) {
      if (line.trim() === '') continue;
      const answer = await evaluated(context, process, line);
      printEither(context.out, answer, () => answer.text);
    }
  },
};

/** Throws CANNOT_INSPECT. */
function evaluated(context: Context, process: ProcessView, code: string): Promise<Evaluated> {
  return askProcess(context, process, { kind: 'evaluate', code }, ({ value }) => {
    const { text, threw } = answerAs(objectOf, value);
    return { text: String(text).split('\n').map(harmless).join('\n'), threw: threw === true };
  });
}

async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  yield rest;
}
