import { describe, expect, it } from 'vitest';
import { renderMessage } from '../../../src/daemon/foreground.ts';

const line = (level: number, facts: object = {}) => JSON.stringify({ level, time: 1, ...facts, msg: 'online' });

describe('a message on standard error', () => {
  it('is one readable line', () => {
    expect(renderMessage(line(30, { app: 'web', id: 3 }), false)).toBe('nsv: online app="web" id=3\n');
  });

  it.each([
    [60, 2],
    [50, 3],
    [40, 4],
    [30, 6],
    [20, 7],
  ])('has a priority in the journal: level %i has %i', (level, priority) => {
    expect(renderMessage(line(level), true)).toBe(`<${priority}>online\n`);
  });

  it('stays one line, whatever it contains', () => {
    expect(renderMessage(line(50, { err: { stack: 'Error\n  at x' } }), true).trimEnd()).not.toContain('\n');
  });
});
