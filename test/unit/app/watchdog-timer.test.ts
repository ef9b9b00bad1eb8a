import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWatchdogTimer } from '../../../src/app/watchdog-timer.ts';
import { bridgeKey } from '../../../src/ipc/app/bridge.ts';
import { FakeBridge } from '../../helpers/fake-bridge.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a watchdog timer', () => {
  it('fires when it is not reset in time, and again until it is destroyed', () => {
    const fired: number[] = [];
    const onTimeout = ({ consequentTimeouts }: { consequentTimeouts: number }) => void fired.push(consequentTimeouts);
    const timer = createWatchdogTimer({ timeout: 1_000, onTimeout });
    vi.advanceTimersByTime(999);
    timer.reset();
    vi.advanceTimersByTime(999);
    timer.refresh();
    expect(fired).toEqual([]);
    vi.advanceTimersByTime(3_000);
    expect(fired).toEqual([1, 2, 3]);
    timer.reset();
    vi.advanceTimersByTime(1_000);
    expect(fired).toEqual([1, 2, 3, 1]);
    timer.destroy();
    timer.reset();
    vi.advanceTimersByTime(5_000);
    expect(fired).toHaveLength(4);
  });

  it('may be destroyed by its own callback', () => {
    let count = 0;
    const timer = createWatchdogTimer({
      timeout: 10,
      onTimeout() {
        count += 1;
        timer.destroy();
      },
    });
    vi.advanceTimersByTime(100);
    expect(count).toBe(1);
  });

  it('does not keep the process alive', () => {
    vi.useRealTimers();
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const timer = createWatchdogTimer({ timeout: 60_000, onTimeout: () => {} });
    timer.reset();
    expect(timers()).toBe(before);
    timer.destroy();
  });

  it('requires a timeout in milliseconds and a function', () => {
    const create = (configuration: object) => () => createWatchdogTimer(configuration as never);
    expect(create({ timeout: '1s', onTimeout: () => {} })).toThrow('"timeout" must be a number of milliseconds');
    expect(create({ timeout: 1_000 })).toThrow('"onTimeout" must be a function');
  });
});

describe('the report of a watchdog timer to the daemon', () => {
  let bridge: FakeBridge;

  beforeEach(() => {
    bridge = new FakeBridge();
    Object.defineProperty(process, bridgeKey, { value: bridge, configurable: true });
  });

  afterEach(() => void Reflect.deleteProperty(process, bridgeKey));

  it('is sent once when the timer expires, again to a new daemon, and when the timer is reset', () => {
    vi.setSystemTime(50_000);
    const timer = createWatchdogTimer({ timeout: 1_000, name: 'queue', onTimeout: () => {} });
    timer.reset();
    expect(bridge.sent).toEqual([]);
    vi.advanceTimersByTime(5_000);
    expect(bridge.sent).toEqual([{ type: 'watchdog', name: 'queue', since: 50_000 }]);
    bridge.back();
    expect(bridge.sent).toHaveLength(2);
    timer.reset();
    expect(bridge.sent.at(-1)).toEqual({ type: 'watchdog', name: 'queue', since: null });
    timer.destroy();
  });

  it.each([
    [7, '7'],
    ['long'.repeat(1_000), 'long'.repeat(50)],
  ])('has a name that the daemon accepts: %#', (name, expected) => {
    createWatchdogTimer({ timeout: 10, name: name as string, onTimeout: () => {} });
    vi.advanceTimersByTime(10);
    expect(bridge.sent).toMatchObject([{ name: expected }]);
  });
});
