// Sends the requests of one API call over one connection, with a limit on concurrent requests.
import { canAskAgain } from '../ipc/client.ts';
import { defaultLimits } from '../ipc/limits.ts';
import { type Client, type MethodName, methods, type Report } from '../ipc/protocol.ts';
import { bounded } from '../shared/bounded.ts';
import type { DaemonConnections } from './link.ts';
import type { CallOptions, Nsv } from './nsv.ts';

/** `name` is the method that the program called; `mayLaunch` says whether it may launch the daemon. */
export type Run = <R>(
  name: keyof Nsv & string,
  job: (client: Client) => Promise<R>,
  options?: CallOptions,
  mayLaunch?: boolean,
) => Promise<R>;

export function createRun(link: DaemonConnections): Run {
  // The daemon accepts no more than this on one connection.
  const call = bounded(defaultLimits.calls, ask);

  async function ask(
    method: MethodName,
    params: object,
    report: Report,
    launch: boolean,
    isFirst = true,
  ): Promise<unknown> {
    try {
      const { client } = await link.shared(launch);
      return await (client[method] as (params: object, report: Report) => Promise<unknown>)(params, report);
    } catch (error) {
      if (!canAskAgain(method, error, isFirst)) throw error;
      return ask(method, params, report, launch, false);
    }
  }

  function clientFor({ onProgress }: CallOptions, mayLaunch: boolean): Client {
    const report = changesOf(onProgress ?? (() => undefined));
    const names = Object.keys(methods) as MethodName[];
    return Object.fromEntries(
      names.map((name) => [name, (params: object) => call(name, params, report, mayLaunch)]),
    ) as Client;
  }

  return (name, job, options = {}, mayLaunch = false) => link.run(name, () => job(clientFor(options, mayLaunch)));
}

/** Passes only changes on: the daemon repeats its report while nothing changes. */
function changesOf(report: Report): Report {
  let last: string | undefined;
  return (text, isLasting = false) => {
    if (isLasting || text !== last) report(text, isLasting);
    if (!isLasting) last = text;
  };
}
