import { describe, expect, it } from 'vitest';
import { parseAppSpec } from '../../../../src/config/app-spec.ts';
import { fileKeys } from '../../../../src/config/file/keys.ts';
import { fields } from '../../../../src/config/options/fields.ts';
import { BadValue } from '../../../../src/config/options/parsers.ts';
import { readUlimit, ulimits } from '../../../../src/config/options/ulimit.ts';

describe('limits of a process', () => {
  it.each<[input: unknown, limits: string[]]>([
    ['nofile=65536', ['nofile=65536']],
    ['nofile=1024:65536', ['nofile=1024:65536']],
    [' nofile = 1024 : 65536 ', ['nofile=1024:65536']],
    ['nofile=1024:1024', ['nofile=1024']],
    ['nofile=1024:unlimited', ['nofile=1024:unlimited']],
    ['core=unlimited', ['core=unlimited']],
    ['core=infinity', ['core=unlimited']],
    ['core=0', ['core=0']],
    ['stack=16M', ['stack=16M']],
    ['stack=16384K', ['stack=16M']],
    ['stack=16777216', ['stack=16M']],
    ['stack=1.5M:2G', ['stack=1536K:2G']],
    ['cpu=60', ['cpu=60']],
    ['core=0,nofile=9', ['nofile=9', 'core=0']],
    [
      ['core=0', 'nofile=9,nproc=50'],
      ['nproc=50', 'nofile=9', 'core=0'],
    ],
    [{ nofile: 65536 }, ['nofile=65536']],
    [{ core: 'unlimited', nofile: '1024:2048' }, ['nofile=1024:2048', 'core=unlimited']],
    [{ nofile: undefined }, []],
    ['', []],
    [[], []],
  ])('are read from %j', (input, limits) => {
    expect(ulimits(input)).toEqual(limits);
    expect(ulimits(limits)).toEqual(limits);
  });

  it.each<[input: unknown, problem: string]>([
    ['nofile', 'must be limits such as nofile=65536 or nofile=1024:65536, not "nofile"'],
    ['nofile=', 'must be limits such as nofile=65536 or nofile=1024:65536, not "nofile="'],
    ['nofile=1:2:3', 'must be limits such as nofile=65536 or nofile=1024:65536, not "nofile=1:2:3"'],
    ['nofile=:2', 'must be limits such as nofile=65536 or nofile=1024:65536, not "nofile=:2"'],
    [65536, 'must be limits such as nofile=65536 or nofile=1024:65536, not "65536"'],
    [true, 'must be limits such as nofile=65536 or nofile=1024:65536, not "true"'],
    ['files=1', 'must name one of nproc, nofile, cpu, core, fsize, stack, data, as, memlock, not "files"'],
    ['nofile=many', 'must have a whole number or "unlimited" for nofile, not "many"'],
    ['nofile=-1', 'must have a whole number or "unlimited" for nofile, not "-1"'],
    ['nofile=64K', 'must have a whole number or "unlimited" for nofile, not "64K"'],
    ['cpu=1.5', 'must have a whole number or "unlimited" for cpu, not "1.5"'],
    ['stack=1000', 'must have a size such as 64M, in whole kilobytes, or "unlimited" for stack, not "1000"'],
    ['stack=big', 'must have a size such as 64M, in whole kilobytes, or "unlimited" for stack, not "big"'],
    ['nofile=2:1', 'must have a soft limit of nofile that is not above the hard one, not "2:1"'],
    ['nofile=unlimited:1', 'must have a soft limit of nofile that is not above the hard one, not "unlimited:1"'],
    ['nofile=1,nofile=2', 'must name nofile once, not twice'],
    [{ nofile: null }, 'must have a whole number or "unlimited" for nofile, not "null"'],
    ["nofile=1'; reboot", 'must have a whole number or "unlimited" for nofile, not "1\'; reboot"'],
  ])('are rejected: %j', (input, problem) => {
    expect(() => ulimits(input)).toThrow(new BadValue(problem));
  });

  it('are numbers of bytes or seconds, or unlimited', () => {
    expect(readUlimit('stack=1M:unlimited')).toEqual({ name: 'stack', soft: 1024 ** 2, hard: 'unlimited' });
    expect(readUlimit('cpu=60')).toEqual({ name: 'cpu', soft: 60, hard: 60 });
  });
});

describe('a setting', () => {
  it.each([
    ['nice', '-20', -20],
    ['nice', 19, 19],
    ['nice', '0', 0],
    ['oomScoreAdj', '-1000', -1000],
    ['oomScoreAdj', 1000, 1000],
  ] as const)('is accepted: %s of %j', (key, input, value) => {
    expect(fields[key].parse(input)).toBe(value);
  });

  it.each([
    ['nice', '-21', '--nice must be a whole number, -20 to 19, not "-21"'],
    ['nice', 20, '--nice must be a whole number, -20 to 19, not 20'],
    ['nice', 'low', '--nice must be a whole number, -20 to 19, not "low"'],
    ['nice', '--5', '--nice must be a whole number, -20 to 19, not "--5"'],
    ['oomScoreAdj', '-1001', '--oom-score-adj must be a whole number, -1000 to 1000, not "-1001"'],
    ['oomScoreAdj', 1.5, '--oom-score-adj must be a whole number, -1000 to 1000, not 1.5'],
    ['ulimit', 'x=1', '--ulimit must name one of nproc,'],
    ['groups', [7], '--groups must be a non-empty string, not 7'],
  ])('is rejected: %s of %j', (key, input, problem) => {
    expect(() => parseAppSpec({ name: 'web', script: '/x', cwd: '/', [key]: input })).toThrow(problem);
  });

  it('may be a number for groups in a config file', () => {
    expect(fileKeys.groups!.parse(['docker', 44])).toEqual(['docker', '44']);
    expect(fileKeys.groups!.parse('docker,video')).toEqual(['docker', 'video']);
  });
});
