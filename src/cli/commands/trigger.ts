import { type Command, jsonOption } from '../command.ts';
import { printEither } from '../print.ts';
import { printable, toJson } from '../render/text.ts';

export const trigger: Command = {
  summary: 'runs a custom action inside an app and prints its reply',
  notes: `For Node apps that use @pm2/io or the same messages: the app receives the message "action", or { msg: action, opts: param }, and
replies with process.send({ type: 'axm:reply', data: { action_name, return } }) within 10 s.`,
  arguments: [
    ['<target>', 'name, id, namespace, "all" or /regex/'],
    ['<action>', 'name of the action'],
    ['[param]', 'parameter of the action'],
  ],
  options: [jsonOption],
  examples: [['nsv trigger web purge-cache', 'an action without a parameter']],
  async run(context, { words: [target = '', action = '', param] }) {
    const client = await context.connect();
    const replies = await client.trigger({ targets: [target], action, ...(param !== undefined && { param }) });
    printEither(context.out, replies, () =>
      replies.map(({ id, name, slot, reply }) => `${id}|${printable(name)}|${slot} ${toJson(reply)}`).join('\n'),
    );
  },
};
