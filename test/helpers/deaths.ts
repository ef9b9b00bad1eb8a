// A death, as it is recorded.
import type { Death } from '../../src/daemon/process/death/death.ts';
import type { DeathView } from '../../src/ipc/views.ts';

export function death(facts: Partial<Death> = {}): Death {
  return {
    app: 'web',
    id: 0,
    slot: 0,
    pid: 4711,
    at: 1_700_000_000_000,
    uptime: 1_500,
    cause: 'uncaught error',
    certain: true,
    by: null,
    detail: null,
    exit: { code: 1, signal: null },
    overdue: false,
    error: {
      headline: 'Error: boom',
      frames: [
        { function: 'emit', file: 'node:events', line: 518, column: 28 },
        { function: 'serve', file: '/app/web.js', line: 3, column: 9 },
      ],
    },
    stack: null,
    output: ['Error: boom'],
    usage: { at: 1_699_999_999_000, memory: 50_000_000, cpu: 1.5 },
    cutShort: 0,
    next: 'restarted',
    ...facts,
  };
}

export function deathView(facts: Partial<DeathView> = {}): DeathView {
  const { at, slot, ...rest } = death(facts);
  return { number: 1, times: 1, slots: [slot], lastAt: at, ...rest, at, slot, ...facts };
}
