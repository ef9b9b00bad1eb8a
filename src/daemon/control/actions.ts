// Sends text to the standard input of an app's processes, triggers the actions they offer, and changes their runtime settings.
import type { RuntimeChange, RuntimeSettingsView } from '../../ipc/app/views.ts';
import type { Params } from '../../ipc/protocol.ts';
import type { ReplyView } from '../../ipc/views.ts';
import type { Clock } from '../../shared/clock.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import { settled } from '../../shared/promises.ts';
import { processesOf, type Selection } from '../apps/operations.ts';
import type { DaemonEvent, EventBus } from '../events.ts';
import type { Child } from '../launch/launcher.ts';
import { hasDisconnected } from '../process/worker-line.ts';
import { viewSettings } from './view.ts';

/** Milliseconds for an app to answer. */
const timeout = 10_000;

/** Writes to all running processes. Throws NO_INPUT; nothing is written if one of them has no pipe. */
export async function send(selection: Selection, text: string): Promise<void> {
  const { name } = selection.group;
  const children = processesOf(selection).flatMap(({ child }) => child ?? []);
  if (children.length === 0) throw failure('NO_INPUT', { name, reason: 'it is not running' });
  const inputs = children.flatMap(({ input }) => input ?? []);
  if (inputs.length < children.length)
    throw failure('NO_INPUT', { name, reason: 'it was started without --stdin pipe' });
  try {
    await Promise.all(inputs.map((input) => input.write(text)));
  } catch (cause) {
    throw failure('NO_INPUT', { name, reason: detailOf(cause) }, { cause });
  }
}

/** In the form that PM2 has for messages. Throws NO_CHANNEL; nothing is sent if one of the processes cannot receive it. */
export async function message(
  selection: Selection,
  { topic, data }: Omit<Params<'message'>, 'targets'>,
): Promise<void> {
  const { name } = selection.group;
  const children = processesOf(selection).flatMap(({ child }) => child ?? []);
  if (children.length === 0)
    throw failure('NO_CHANNEL', { name, reason: 'it is not running' }, { hint: 'start it first' });
  if (children.some((child) => !child.plan.spec.node || hasDisconnected(child)))
    throw failure('NO_CHANNEL', { name, reason: noChannel });
  for (const child of children) child.send({ type: 'process:msg', topic, data });
}

const noChannel = 'it is not a Node program, or it has disconnected';

interface Means {
  events: EventBus;
  clock: Clock;
}

/** Follows PM2, as libraries for it expect: sends the name of the action, or a message with name and parameter. */
export async function trigger(
  selection: Selection,
  { action, param }: Omit<Params<'trigger'>, 'targets'>,
  deps: Means,
): Promise<ReplyView[]> {
  const { name } = selection.group;
  const processes = processesOf(selection).filter(({ child }) => child);
  if (processes.length === 0) throw failure('NO_REPLY', { name, reason: 'it is not running' });
  const message = param === undefined ? action : { msg: action, opts: param };
  return Promise.all(
    processes.map(async ({ id, slot, child }) => {
      const answered = answer(child!, action, deps);
      if (hasDisconnected(child!) || !child!.send(message)) throw failure('NO_REPLY', { name, reason: noChannel });
      const outcome = await answered;
      if ('reason' in outcome) throw failure('NO_REPLY', { name, reason: outcome.reason });
      return { id, name, slot, reply: outcome.reply };
    }),
  );
}

/** Waits for one `process.send({ type: 'axm:reply', data: { action_name, return } })`. */
function answer({ pid }: Child, action: string, { events, clock }: Means) {
  return new Promise<{ reply: unknown } | { reason: string }>((resolve) => {
    const settle = (outcome: { reply: unknown } | { reason: string }) => {
      forget();
      cancel();
      resolve(outcome);
    };
    const forget = events.subscribe((event) => {
      if (!('pid' in event) || event.pid !== pid) return;
      if (event.type === 'exit') settle({ reason: 'it exited' });
      const reply = replyTo(event, action);
      if (reply) settle(reply);
    });
    const reason = `no reply to "${action}" within ${timeout / 1_000} s`;
    const cancel = clock.after(timeout, () => settle({ reason }));
  });
}

function replyTo(event: DaemonEvent, action: string): { reply: unknown } | undefined {
  if (event.type !== 'message' || event.message.type !== 'axm:reply') return undefined;
  const data = (event.message.data ?? {}) as { action_name?: unknown; return?: unknown };
  return data.action_name === action ? { reply: data.return ?? null } : undefined;
}

/** Each app for itself; throws the first failure when every app has settled. */
export async function changeSettings(
  selections: readonly Selection[],
  change: RuntimeChange,
): Promise<RuntimeSettingsView[]> {
  const groups = selections.map(({ group }) => group);
  for (const { name, spec } of groups) if (!spec.node) throw noSettings(name);
  await settled(groups.map(({ inApp }) => inApp.change(change)));
  return groups.map((group) => viewSettings(group));
}

function noSettings(name: string): Error {
  const reason =
    'only Node programs can receive settings while they run; use environment variables, and restart the app';
  return failure('UNSUPPORTED', { what: `"nsv config" on "${name}"`, reason });
}
