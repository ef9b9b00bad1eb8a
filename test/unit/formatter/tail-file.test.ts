import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TailFile } from '../../../src/formatter/tail-file.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { makeFifo } from '../../helpers/program.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

const limit = 100;

let folder: string;
let file: string;
let clock: FakeClock;
let opened: TailFile[];

beforeEach(() => {
  folder = temporaryDirectory();
  file = join(folder, 'web.out.tail');
  clock = new FakeClock();
  opened = [];
});

afterEach(() => {
  for (const tail of opened) tail.remove();
});

function create(): TailFile {
  const tail = new TailFile(file, limit, clock);
  opened.push(tail);
  return tail;
}

const restored = () => create().restore().toString();
const text = () => readFileSync(file, 'utf8');

describe('an unfinished line', () => {
  it('is saved as it grows, readable by its owner only, and restored', () => {
    const tail = create();
    expect(tail.restore()).toHaveLength(0);
    for (const line of ['a', 'ab', 'ab', 'abcd']) tail.save(Buffer.from(line));
    expect([text(), statSync(file).mode & 0o777]).toEqual(['abcd', 0o600]);
    expect(restored()).toBe('abcd');
  });

  it('continues where it was restored', () => {
    create().save(Buffer.from('ab'));
    const next = create();
    next.restore();
    next.save(Buffer.from('abc'));
    expect(text()).toBe('abc');
  });

  it('is removed at once when it is about to be written, and replaced by the next one', () => {
    const tail = create();
    tail.save(Buffer.from('a long one'));
    tail.forget();
    expect(text()).toBe('');
    tail.save(Buffer.from('b'));
    expect(text()).toBe('b');
  });

  it('has no file after a second without one', async () => {
    const tail = create();
    tail.save(Buffer.from('a'));
    tail.forget();
    tail.save(Buffer.from('b'));
    await clock.passes(1_000);
    expect(text()).toBe('b');
    tail.forget();
    await clock.passes(999);
    expect(text()).toBe('');
    await clock.passes(1);
    expect(existsSync(file)).toBe(false);
    expect(clock.pending).toBe(0);
  });

  it('costs no file and no timer if there has never been one', () => {
    const tail = create();
    tail.save(Buffer.alloc(0));
    tail.forget();
    tail.remove();
    expect([existsSync(file), clock.pending]).toEqual([false, 0]);
  });

  it('causes no error if it cannot be saved', () => {
    const tail = create();
    mkdirSync(file);
    tail.save(Buffer.from('a'));
    tail.save(Buffer.from('ab'));
    rmSync(file, { recursive: true });
    tail.forget();
    tail.save(Buffer.from('c'));
    expect(text()).toBe('c');
  });
});

describe('a file that no formatter has written', () => {
  const forge = (content: string) => writeFileSync(file, content, { mode: 0o600 });
  const forgeries: Record<string, () => void | Promise<void>> = {
    'a file that others may read'() {
      forge('forged');
      chmodSync(file, 0o640);
    },
    'more than a line can have': () => forge('x'.repeat(limit + 1)),
    'more than one line': () => forge('one\ntwo'),
    'a link'() {
      writeFileSync(join(folder, 'elsewhere'), 'forged', { mode: 0o600 });
      symlinkSync(join(folder, 'elsewhere'), file);
    },
    'a file that has another name too'() {
      forge('forged');
      linkSync(file, join(folder, 'elsewhere'));
    },
    'a FIFO': () => makeFifo(file),
  };
  if (process.getuid?.() === 0) {
    forgeries['a file of another user'] = () => {
      forge('forged');
      chownSync(file, 1, 1);
    };
  }

  it.each(Object.entries(forgeries))('is replaced, not restored or changed: %s', async (_what, make) => {
    await make();
    const tail = create();
    expect(tail.restore()).toHaveLength(0);
    tail.save(Buffer.from('ours'));
    expect(text()).toBe('ours');
    const elsewhere = join(folder, 'elsewhere');
    if (existsSync(elsewhere)) expect(readFileSync(elsewhere, 'utf8')).toBe('forged');
  });
});
