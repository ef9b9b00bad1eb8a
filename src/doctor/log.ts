// Finds daemon deaths in daemon.log: lines of the daemon itself and of its guard (bin/guard.sh).
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { logMessages } from '../shared/daemon-log.ts';
import type { LogFacts } from './facts.ts';

/** Bytes to read from the end: some thousand lines. */
const tail = 512 * 1024;

interface Line {
  time: number;
  level: number;
  msg: string;
  err?: { message?: string };
}

export function readLog(file: string): LogFacts {
  const lines = endOf(file).split('\n').flatMap(parse);
  const begun = lines.findLastIndex(({ msg }) => msg === logMessages.ready);
  const current = lines.slice(lines.findLastIndex(({ msg }, at) => msg === logMessages.ready && at < begun) + 1);
  const gaveUp = lines.slice(begun + 1).find(({ msg }) => msg.includes(logMessages.gaveUp))?.msg;
  const fall = lines.findLast(({ level, err }) => level === 60 && err?.message)?.err?.message;
  return {
    deaths: lines.filter(({ msg }) => msg.startsWith(logMessages.died)).map(({ time }) => time),
    isNewBoot: current.some(({ msg }) => msg === logMessages.rebooted),
    ...(gaveUp !== undefined && { gaveUp }),
    ...(fall !== undefined && { fall }),
  };
}

function parse(text: string): Line[] {
  try {
    const line = JSON.parse(text) as Partial<Line> | null;
    return typeof line?.msg === 'string' ? [{ time: 0, level: 0, ...line, msg: line.msg }] : [];
  } catch {
    return [];
  }
}

function endOf(file: string): string {
  let fd: number | undefined;
  try {
    fd = openSync(file, 'r');
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, tail));
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, size - bytes.length));
  } catch {
    return '';
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
