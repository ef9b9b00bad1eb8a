// Probes and shutdown handlers with the names and meanings of the package `lightship`, written from its documentation.
import type { ConfigurationInput, Lightship } from '../../app/index.cjs';
import { bridge } from './bridge.ts';
import { variables } from './instance.ts';
import { Crew } from './lightship/crew.ts';
import { lightshipSettingsOf } from './lightship/settings.ts';
import { print } from './print.ts';
import { notReady, ready } from './readiness.ts';
import { ending } from './shutdown/ending.ts';

export function createLightship(configuration: ConfigurationInput = {}): Lightship & Promise<Lightship> {
  const { terminate = () => process.exit(1) } = configuration;
  const settings = lightshipSettingsOf(configuration, { env: variables(), isManaged: bridge() !== undefined });
  // Not loaded by whoever uses other parts of this library.
  const { createServer } = process.getBuiltinModule('node:http');
  const blocking = new Set<Promise<unknown>>();
  let hasSignalled = false;
  let onFirstReady = () => {};
  let onFailure = (_error: unknown) => {};
  const firstReady = new Promise<void>((resolve, reject) => {
    onFirstReady = resolve;
    onFailure = reject;
  });
  // Nobody need wait for it.
  firstReady.catch(() => {});
  const server = createServer(({ url }, response) => {
    const { code, body }: Reply = probeReplyTo(url, { isReady: isReady(), isShuttingDown: crew.hasBegun });
    // So that under nsv, the next probe may reach another instance.
    response.writeHead(code, { 'Content-Type': 'text/plain', Connection: 'close' }).end(body);
  });
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  const crew = new Crew({ settings, close, terminate });
  ending().join(crew, settings.signals);

  function isReady(): boolean {
    return hasSignalled && blocking.size === 0 && !crew.hasBegun;
  }

  /** It is never ready again. */
  function failed(error: unknown): void {
    print('a blocking task of lightship failed:', error);
    process.exitCode ??= 1;
    onFailure(error);
    ending().shutdown('a blocking task of lightship failed');
  }

  function report(): void {
    if (!isReady()) {
      notReady(blocking.size > 0 ? 'a blocking task of lightship is not done' : 'lightship was not signalled ready');
      return;
    }
    ready();
    onFirstReady();
  }

  const lightship: Lightship = {
    createBeacon: (context) => crew.light(context),
    isServerReady: isReady,
    isServerShuttingDown: () => crew.hasBegun,
    queueBlockingTask(task) {
      blocking.add(task);
      report();
      const done = () => {
        blocking.delete(task);
        report();
      };
      task.then(done, failed);
    },
    registerShutdownHandler: (handler) => crew.add(handler),
    server,
    shutdown() {
      ending().shutdown('lightship.shutdown()');
      return crew.over;
    },
    signalNotReady() {
      hasSignalled = false;
      report();
    },
    signalReady() {
      hasSignalled = true;
      report();
    },
    whenFirstReady: () => firstReady,
  };
  report();
  const listening = new Promise<Lightship>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.port, () => {
      server.off('error', reject);
      resolve(lightship);
    });
  });
  return Object.assign(listening, lightship);
}

interface Standing {
  isReady: boolean;
  isShuttingDown: boolean;
}

interface Reply {
  code: 200 | 404 | 500;
  body: string;
}

/** `path` is that of the request. */
export function probeReplyTo(path: string | undefined, { isReady, isShuttingDown }: Standing): Reply {
  switch (path?.split('?', 1)[0]) {
    case '/health':
      if (isShuttingDown) return { code: 500, body: 'SERVER_IS_SHUTTING_DOWN' };
      return readiness(isReady);
    case '/live':
      if (isShuttingDown) return { code: 500, body: 'SERVER_IS_SHUTTING_DOWN' };
      return { code: 200, body: 'SERVER_IS_NOT_SHUTTING_DOWN' };
    case '/ready':
      return readiness(isReady && !isShuttingDown);
    default:
      return { code: 404, body: 'not found; the probes are /health, /live and /ready' };
  }
}

function readiness(isReady: boolean): Reply {
  return isReady ? { code: 200, body: 'SERVER_IS_READY' } : { code: 500, body: 'SERVER_IS_NOT_READY' };
}
