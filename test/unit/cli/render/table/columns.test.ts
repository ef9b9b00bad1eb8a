import { describe, expect, it } from 'vitest';
import { columns, orderOf, sorted } from '../../../../../src/cli/render/table/columns.ts';
import { processView } from '../../fake-context.ts';

const processes = [
  processView({ id: 0, name: 'web', memory: 300, ports: ['3000'] }),
  processView({ id: 1, name: 'api', memory: null, ports: [] }),
  processView({ id: 2, name: 'web', memory: 20, ports: ['900'] }),
  processView({ id: 3, name: 'job', memory: 100, ports: ['10000'] }),
];
const idsBy = (wish: string) => sorted(processes, orderOf(wish)).map(({ id }) => id);

describe('nsv list --sort', () => {
  it.each<[wish: string, ids: number[]]>([
    ['name', [1, 3, 0, 2]],
    ['name:asc', [1, 3, 0, 2]],
    ['name:desc', [0, 2, 3, 1]],
    ['Memory', [2, 3, 0, 1]],
    ['memory:desc', [0, 3, 2, 1]],
    ['ports', [1, 2, 0, 3]],
    ['id:desc', [3, 2, 1, 0]],
  ])('sorts by %s', (wish, ids) => {
    expect(idsBy(wish)).toEqual(ids);
  });

  it('has a value for every column', () => {
    const row = { ...processView(), version: '1.0.0', user: 'root', watching: true };
    for (const { title } of columns) expect(row).toHaveProperty(title);
  });

  it.each(['size', 'name:up', 'name:desc:asc', ''])('refuses "%s"', (wish) => {
    expect(() => idsBy(wish)).toThrow(
      expect.objectContaining({
        code: 'BAD_OPTION',
        message: expect.stringMatching(/^--sort must be a column, .*, not ".*"; the columns are id, name/),
      }),
    );
  });
});
