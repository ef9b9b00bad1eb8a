// What was written to a log, through all its rotations.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { launchRotator, type RotatorEvents, type RotatorProcess } from '../../src/daemon/launch/rotator.ts';
import { type RotatedLog, rotationsOf } from '../../src/shared/rotations.ts';
import { gate } from './wire.ts';

/** The newest first. */
export function rotations(file: string): RotatedLog[] {
  return rotationsOf(file, readdirSync(dirname(file)));
}

/** All lines from the oldest rotation to the log itself. */
export function linesThrough(file: string): string[] {
  const texts = rotations(file)
    .reverse()
    .map(({ name }) => textOf(join(dirname(file), name)));
  return [...texts, readFileSync(file, 'utf8')].join('').split('\n').slice(0, -1);
}

/** One that is compressed at this moment is there under the one name or the other. */
function textOf(path: string): string {
  const zipped = `${path.replace(/\.gz$/, '')}.gz`;
  const isPlain = !existsSync(zipped);
  try {
    return (isPlain ? readFileSync(path) : gunzipSync(readFileSync(zipped))).toString();
  } catch (error) {
    if (isPlain && existsSync(zipped)) return textOf(path);
    throw error;
  }
}

/** Rotators of a test, to be ended with it: until one is dead, it may make another file in the directory of the test. */
export class Rotators {
  #launched: { rotator: RotatorProcess; gone: Promise<void> }[] = [];

  launch(program: string, record: string, events: RotatorEvents): RotatorProcess {
    const { opened: gone, open } = gate();
    const ended = () => {
      open();
      events.ended();
    };
    const rotator = launchRotator(program, record, { ...events, ended });
    this.#launched.push({ rotator, gone });
    return rotator;
  }

  async end(): Promise<void> {
    const launched = this.#launched.splice(0);
    for (const { rotator } of launched) rotator.kill();
    await Promise.all(launched.map(({ gone }) => gone));
  }
}
