// The server behind the home's socket: passes requests through the hand-over gate to the handlers of the commands.
import { createServer, type Server } from '../ipc/server.ts';
import type { DaemonView } from '../ipc/views.ts';
import { realClock as clock } from '../shared/clock.ts';
import { detailOf, failure } from '../shared/errors.ts';
import type { HomePaths } from '../shared/paths.ts';
import { build, protocolVersion, version } from '../shared/version.ts';
import { createFollowing } from './control/following.ts';
import { createHandlers, type HandlerDeps } from './control/handlers.ts';
import { createInspecting } from './control/inspecting.ts';
import { noteCommands } from './control/note-commands.ts';
import { persistBeforeReply } from './control/persist-before-reply.ts';
import { createRouter } from './control/router.ts';
import type { Logger } from './logger.ts';
import type { DaemonParts } from './parts.ts';
import { Gate } from './recovery/hand-over/gate.ts';
import type { InheritedState } from './recovery/hand-over/successor.ts';

export interface CommandServerOptions extends Pick<HandlerDeps, 'removeAll' | 'upgrade' | 'end' | 'health'> {
  paths: HomePaths;
  logger: Logger;
  /** Requests wait until it resolves. */
  ready: Promise<void>;
}

export function createCommandServer(parts: DaemonParts, options: CommandServerOptions) {
  const { registry, events, journal, persistence, saving } = parts;
  const { paths, logger, ready, end } = options;
  const following = createFollowing({ registry, events, clock, journalEnd: journal.end });
  const handlers = createHandlers({
    ...parts,
    ...options,
    clock,
    about: aboutThisDaemon(paths),
    follow: following.follow,
    inspect: createInspecting(registry, clock),
    failed: (group, error) => logger.error({ app: group.name, detail: detailOf(error) }, 'failed to start this app'),
    forgot: (app) => setImmediate(() => events.emit({ type: 'delete', app })),
    end: () => setImmediate(end),
  });
  const gate = new Gate();
  const kept = persistence
    ? persistBeforeReply(handlers, () => persistence.recorded().then(saving.expectSaved))
    : handlers;
  const noted = noteCommands(kept, { registry, events, flush: journal.flush });
  const route = createRouter(gate.around(noted), (error, method) =>
    logger.error({ err: error, method }, 'request handler failed'),
  );
  let server: Server | undefined;
  return {
    handlers,
    gate,
    /** Undefined until the socket is open. */
    get socket(): { readonly fd: number } | undefined {
      return server?.socket;
    },
    /** Opens the home's socket, or takes over the open socket of the previous daemon. */
    async open(inherited?: InheritedState) {
      server = await createServer({
        paths,
        ...(inherited && { inherited: inherited.server.fd }),
        async route(...request) {
          await ready;
          parts.worked();
          return route(...request);
        },
        hello: { protocol: protocolVersion, version, build, pid: process.pid },
        onError: (error) => logger.error({ err: error }, 'socket'),
      });
    },
    /** Ends all event streams. Resolves when every client has its answer, or after a short timeout. */
    async drainClients() {
      following.end();
      await server?.answered();
    },
    /** Ends every connection with HANDED_OVER, so that clients connect to the next daemon. */
    redirectClients: () => server?.refuse(failure('HANDED_OVER', {})),
  };
}

function aboutThisDaemon({ home }: HomePaths): () => DaemonView {
  const begun = clock.now();
  const { pid, version: node } = process;
  const fixed = { pid, version, protocol: protocolVersion, node, home };
  return () => ({ ...fixed, uptime: Math.round(clock.now() - begun) });
}
