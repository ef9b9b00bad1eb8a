// What users of the package `lightship` know, from its documentation.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Crew } from '../../../src/app/lightship/crew.ts';
import { lightshipSettingsOf } from '../../../src/app/lightship/settings.ts';
import { probeReplyTo } from '../../../src/app/lightship.ts';

const plain = { env: {}, isManaged: false };
const kubernetes = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };

describe('the probes of a lightship', () => {
  const states = {
    starting: { isReady: false, isShuttingDown: false },
    ready: { isReady: true, isShuttingDown: false },
    stopping: { isReady: true, isShuttingDown: true },
  };

  it.each([
    ['/health', 'starting', 500, 'SERVER_IS_NOT_READY'],
    ['/health', 'ready', 200, 'SERVER_IS_READY'],
    ['/health?verbose', 'stopping', 500, 'SERVER_IS_SHUTTING_DOWN'],
    ['/live', 'starting', 200, 'SERVER_IS_NOT_SHUTTING_DOWN'],
    ['/live', 'ready', 200, 'SERVER_IS_NOT_SHUTTING_DOWN'],
    ['/live', 'stopping', 500, 'SERVER_IS_SHUTTING_DOWN'],
    ['/ready', 'starting', 500, 'SERVER_IS_NOT_READY'],
    ['/ready', 'ready', 200, 'SERVER_IS_READY'],
    ['/ready', 'stopping', 500, 'SERVER_IS_NOT_READY'],
  ] as const)('answer %s while %s with %i %s', (path, state, code, body) => {
    expect(probeReplyTo(path, states[state])).toEqual({ code, body });
  });

  it('answer any other path with 404', () => {
    expect(probeReplyTo('/', states.ready)).toMatchObject({ code: 404 });
    expect(probeReplyTo(undefined, states.ready)).toMatchObject({ code: 404 });
  });
});

describe('the settings of a lightship', () => {
  const usual = {
    gracefulShutdownTimeout: 30_000,
    shutdownDelay: 5_000,
    shutdownHandlerTimeout: 5_000,
    signals: ['SIGTERM', 'SIGHUP', 'SIGINT'],
  };

  it('are by default those of the package: any port and no delay outside Kubernetes, 9000 and 5 s within', () => {
    expect(lightshipSettingsOf({}, plain)).toEqual({ port: 0, ...usual, shutdownDelay: 0 });
    expect(lightshipSettingsOf({ shutdownDelay: 700 }, plain)).toMatchObject({ shutdownDelay: 700 });
    expect(lightshipSettingsOf({ port: 9_500 }, plain)).toMatchObject({ port: 0 });
    expect(lightshipSettingsOf({}, { ...plain, env: kubernetes })).toEqual({ port: 9_000, ...usual });
    expect(lightshipSettingsOf({ detectKubernetes: false }, plain)).toEqual({ port: 9_000, ...usual });
  });

  it('take the port of the configuration before that of LIGHTSHIP_PORT', () => {
    const env = { ...kubernetes, LIGHTSHIP_PORT: '9001' };
    expect(lightshipSettingsOf({}, { ...plain, env })).toMatchObject({ port: 9_001 });
    expect(lightshipSettingsOf({ port: 9_002 }, { ...plain, env })).toMatchObject({ port: 9_002 });
  });

  it('have no default delay under nsv, except in Kubernetes', () => {
    const managed = { env: {}, isManaged: true };
    expect(lightshipSettingsOf({}, managed)).toMatchObject({ shutdownDelay: 0 });
    expect(lightshipSettingsOf({ shutdownDelay: 700 }, managed)).toMatchObject({ shutdownDelay: 700 });
    expect(lightshipSettingsOf({}, { ...managed, env: kubernetes })).toMatchObject({ shutdownDelay: 5_000 });
  });

  it('take `timeout` as the graceful timeout without a delay, unless those two are set', () => {
    expect(lightshipSettingsOf({ timeout: 5_000 }, plain)).toMatchObject({
      gracefulShutdownTimeout: 5_000,
      shutdownDelay: 0,
    });
    expect(lightshipSettingsOf({ timeout: 800 }, plain)).toMatchObject({ shutdownHandlerTimeout: 800 });
    const both = { timeout: 5_000, gracefulShutdownTimeout: 8_000, shutdownDelay: 100 };
    expect(lightshipSettingsOf(both, plain)).toMatchObject({ gracefulShutdownTimeout: 8_000, shutdownDelay: 100 });
  });

  it('are rejected if a number is out of range', () => {
    expect(() => lightshipSettingsOf({ gracefulShutdownTimeout: -1 }, plain)).toThrow(
      '"gracefulShutdownTimeout" must be',
    );
    expect(() => lightshipSettingsOf({ gracefulShutdownTimeout: 4_000 }, plain)).toThrow(
      '"gracefulShutdownTimeout" must be at least "shutdownHandlerTimeout" (5000), not 4000',
    );
    expect(() => lightshipSettingsOf({ detectKubernetes: false, port: 70_000 }, plain)).toThrow(
      '"port" must be a port number',
    );
  });
});

describe('the shutdown of a lightship', () => {
  const reported: unknown[] = [];
  let result: boolean | undefined;

  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(console, 'error').mockImplementation((text) => void reported.push(text));
    reported.length = 0;
    result = undefined;
  });

  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  const after = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const crewWith = (configuration = {}) =>
    new Crew({
      settings: lightshipSettingsOf({ shutdownDelay: 0, ...configuration }, plain),
      close: () => void reported.push('closed'),
      terminate: () => void reported.push('terminated'),
    });

  /** `limit`: what nsv leaves, in milliseconds. */
  function end(crew: Crew, limit?: number): void {
    crew.begin({ reason: 'SIGTERM', limit });
    void crew.run().then((clean) => {
      result = clean;
    });
  }

  it('calls the handlers in order of registration, even after one fails', async () => {
    const crew = crewWith();
    crew.add(() => void reported.push('first'));
    crew.add(() => Promise.reject(new Error('no')));
    crew.add(() => void reported.push('last'));
    end(crew);
    expect(crew.hasBegun).toBe(true);
    await after(0);
    expect(reported).toEqual(['first', 'nsv/app: a shutdown handler failed:', 'last', 'closed']);
    expect(result).toBe(false);
  });

  it('defers the handlers until the delay is over and no beacon is alive', async () => {
    const crew = crewWith({ shutdownDelay: 2_000 });
    const beacon = crew.light({ jobId: 1 });
    crew.add(() => void reported.push('handler'));
    end(crew);
    await after(1_000);
    await beacon.die();
    await after(999);
    expect(reported).toEqual([]);
    await after(1);
    expect(reported).toEqual(['handler', 'closed']);
    expect(result).toBe(true);
  });

  it('waits for a beacon that is lit during the delay, for as long as without one', async () => {
    const crew = crewWith({ shutdownDelay: 40_000 });
    crew.add(() => void reported.push('handler'));
    end(crew);
    await after(39_000);
    const beacon = crew.light();
    await after(30_999);
    expect(reported).toEqual([]);
    await beacon.die();
    await after(0);
    expect(reported).toEqual(['handler', 'closed']);
  });

  it('gives up without the handlers if beacons are alive `gracefulShutdownTimeout` after the delay', async () => {
    const crew = crewWith({ shutdownDelay: 2_000, gracefulShutdownTimeout: 6_000 });
    crew.add(() => void reported.push('handler'));
    crew.light({ jobId: 1 });
    end(crew);
    await after(7_999);
    expect(result).toBeUndefined();
    await after(1);
    expect(reported).toEqual(['nsv/app: the beacons did not die within 6000 ms', 'closed']);
    expect(result).toBe(false);
  });

  it('gives up after `shutdownHandlerTimeout`', async () => {
    const crew = crewWith({ shutdownHandlerTimeout: 300 });
    crew.add(() => new Promise(() => {}));
    end(crew);
    await after(300);
    expect(reported).toEqual(['nsv/app: the shutdown handlers took longer than 300 ms', 'closed']);
    expect(result).toBe(false);
  });

  it('gives up when the time that nsv allows runs out before `gracefulShutdownTimeout`', async () => {
    const crew = crewWith();
    crew.light();
    end(crew, 4_500);
    await after(4_499);
    expect(result).toBeUndefined();
    await after(1);
    expect(reported).toEqual(['nsv/app: the beacons did not die within 4500 ms', 'closed']);
    expect(result).toBe(false);
  });

  it('shortens a delay for which nsv leaves no time', async () => {
    const crew = crewWith({ shutdownDelay: 5_000 });
    crew.add(() => void reported.push('handler'));
    end(crew, 4_000);
    await after(2_000);
    expect(reported).toEqual(['handler', 'closed']);
  });

  it('terminates a process that does not exit within a second', async () => {
    const crew = crewWith();
    crew.exit(0).catch(() => {});
    await after(999);
    expect(reported).toEqual([]);
    await after(1);
    expect(reported).toEqual([expect.stringContaining('has not ended by itself within 1000 ms'), 'terminated']);
    reported.length = 0;
    crew.exit(1).catch(() => {});
    expect(reported).toEqual(['terminated']);
  });
});
