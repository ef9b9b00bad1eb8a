// Where nsv may make cgroups, and what it writes there: in a directory of the same shape as the kernel's.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type CgroupLimits,
  createAppCgroups,
  daemonLeaf,
  findDelegation,
  processesIn,
  removeCgroup,
} from '../../../src/os/cgroups/app-cgroups.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

const token = '0123456789abcdef';
let root: string;

beforeEach(() => {
  root = temporaryDirectory();
});

const at = (...names: string[]) => join(root, 'sys/fs/cgroup', ...names);
const read = (...names: string[]) => readFileSync(at(...names), 'utf8');

/** The daemon is in `own`; `base` has these controllers. */
function machine(own: string, base: string, controllers = 'cpu io memory pids'): void {
  mkdirSync(join(root, 'proc/self'), { recursive: true });
  mkdirSync(at(own), { recursive: true });
  writeFileSync(join(root, 'proc/self/cgroup'), `0::/${own}\n`);
  writeFileSync(join(root, 'proc/self/mountinfo'), '30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n');
  const files = {
    'cgroup.controllers': controllers,
    'cgroup.subtree_control': '',
    'cgroup.procs': '',
    'cgroup.events': 'x',
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(at(base, file), text);
}

const prepare = (limits: CgroupLimits, app = 'web') => createAppCgroups(root).prepare(app, limits, token);

describe('cgroups', () => {
  it('are made beside the daemon if it was started in its own leaf, as by systemd', () => {
    machine(`nsv.service/${daemonLeaf}`, 'nsv.service');
    expect(findDelegation(root)).toBe(at('nsv.service'));
  });

  it('are made below the root of a container, after the processes there have moved to a leaf', () => {
    machine('', '');
    writeFileSync(at('cgroup.procs'), '1\n42\n');
    prepare({ pids: 100 });
    expect(read(daemonLeaf, 'cgroup.procs')).toBe('42');
    expect(read('cgroup.subtree_control')).toBe('+pids');
  });
});

describe('no cgroup', () => {
  it.each([
    [
      'without cgroups of version 2',
      'a/nsv-daemon',
      () => rmSync(join(root, 'proc/self/mountinfo')),
      'no cgroups of version 2',
    ],
    [
      'if systemd manages them',
      'a/b',
      () => {},
      'in the cgroup /sys/fs/cgroup/a/b, and not in one that is called "nsv-daemon"',
    ],
    ['at the root of the machine', '', () => rmSync(at('cgroup.events')), 'in the cgroup /sys/fs/cgroup, and not in'],
    [
      'if it is not delegated',
      'a/nsv-daemon',
      () => rmSync(at('a/cgroup.subtree_control')),
      'is not delegated to this user',
    ],
  ])('is made %s', (_when, own, change, message) => {
    machine(own, own.replace('/nsv-daemon', ''));
    change();
    expect(() => findDelegation(root)).toThrow(message);
  });

  it('is made without the controllers', () => {
    machine(daemonLeaf, '', 'hugetlb pids');
    expect(() => prepare({ memory: 1, cpu: 1, pids: 1 })).toThrow('has no controller for cpu, memory');
    expect(existsSync(at('app-web'))).toBe(false);
  });
});

describe('an app', () => {
  beforeEach(() => machine(daemonLeaf, ''));

  it('has its limits, and a cgroup for each process', () => {
    expect(prepare({ cpu: 1.5, memory: 512 * 1024 ** 2, pids: 200 })).toBe(at('app-web', token));
    expect(read('app-web', 'cpu.max')).toBe('150000 100000');
    expect(read('app-web', 'memory.max')).toBe('536870912');
    expect(read('app-web', 'pids.max')).toBe('200');
    expect(read('cgroup.subtree_control')).toBe('+cpu +memory +pids');
  });

  it('gets changed limits, and loses those that it no longer has', () => {
    prepare({ cpu: 1, pids: 200 });
    prepare({ pids: 300 });
    expect(read('app-web', 'pids.max')).toBe('300');
    expect(read('app-web', 'cpu.max')).toBe('max 100000');
  });

  it('has its cgroup found again by the next daemon, if there is one', () => {
    const own = prepare({ pids: 200 });
    const next = createAppCgroups(root);
    expect([next.find('web', token), next.find('web', 'other'), next.find('api', token)]).toEqual([
      own,
      undefined,
      undefined,
    ]);
    rmSync(at('cgroup.subtree_control'));
    expect(createAppCgroups(root).find('web', token)).toBeUndefined();
  });

  it('may have any name', () => {
    expect(prepare({ pids: 1 }, '../a/b ü')).toBe(at('app-..%2Fa%2Fb%20%C3%BC', token));
  });

  it('has its cgroups removed after its last process', () => {
    const own = prepare({});
    mkdirSync(at('app-web', 'other'));
    writeFileSync(join(own, 'cgroup.procs'), '3\n4\n');
    expect(processesIn(own)).toEqual([3, 4]);
    rmSync(join(own, 'cgroup.procs'));
    removeCgroup(own);
    expect(existsSync(at('app-web'))).toBe(true);
    removeCgroup(at('app-web', 'other'));
    expect(existsSync(at('app-web'))).toBe(false);
  });
});
