import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { decodeState, encodeState } from '../../../../src/daemon/state/codec.ts';
import { createStore } from '../../../../src/daemon/state/store.ts';
import { makeFifo } from '../../../helpers/program.ts';
import { snapshot } from '../../../helpers/records.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';
import { writeSteps } from '../../../helpers/write-steps.ts';

const { isMeant, watchCalls } = createRequire(import.meta.url)('../../../fixtures/daemon/watch-calls.cjs');

let directory: string;
let file: string;

beforeEach(() => {
  directory = temporaryDirectory();
  file = join(directory, 'state.json');
});

function store({ reject = (): string | undefined => undefined, isSameRun = true } = {}) {
  const { write, ...others } = createStore({ file, reject, isSameRun: () => isSameRun, wall: () => 5 });
  return { ...others, write: (bytes: Buffer, kept = () => {}) => write(bytes, kept) };
}

const numbered = (sequence: number) => encodeState(snapshot({ sequence }));
const sequenceIn = (name: string) => decodeState(readFileSync(name)).snapshot.sequence;
/** Short, so that each byte can have its turn. */
const small = encodeState(snapshot({ sequence: 2, groups: [] }));
const flipped = (bytes: Buffer, at: number) => Buffer.from(bytes.map((byte, index) => (index === at ? ~byte : byte)));

/** By a daemon that dies at that step. */
async function writtenUntil(fatal: unknown, bytes: Buffer): Promise<void> {
  const restore = watchCalls((reported: unknown) => {
    if (isMeant(fatal, reported)) throw new Error('dead');
  });
  syncBuiltinESMExports();
  await store()
    .write(bytes)
    .finally(() => {
      restore();
      syncBuiltinESMExports();
    });
}

describe('the files of the state', () => {
  it('are the last two that were written, readable by their owner only', async () => {
    for (const sequence of [1, 2, 3]) await store().write(numbered(sequence));
    expect(readdirSync(directory).sort()).toEqual(['state.json', 'state.json.1', 'state.json.tmp']);
    for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
    expect(store().read()).toMatchObject({ snapshot: { sequence: 3 }, isOlder: false, problems: [] });
  });

  it('reuse the same space, as a full disk has no other', async () => {
    const room = () =>
      readdirSync(directory)
        .map((name) => statSync(join(directory, name)))
        .map(({ ino, size }) => `${ino}: ${size}`)
        .sort();
    for (const sequence of [1, 2, 3]) await store().write(numbered(sequence));
    const before = room();
    for (let sequence = 4; sequence < 20; sequence += 1) {
      await store().write(numbered(10 ** (sequence - 4)));
      expect(room()).toEqual(before);
    }
    expect(store().read().snapshot?.sequence).toBe(10 ** 15);
  });

  it('have their space reserved from the first write on, and after each longer one', async () => {
    const [group] = snapshot().groups;
    const spec = { ...group!.spec, env: { LONG: 'x'.repeat(40_000) } };
    const long = encodeState(snapshot({ groups: [{ ...group!, spec }] }));
    expect(long.length).toBeGreaterThan(32 * 1024);
    for (const bytes of [numbered(1), numbered(2), numbered(3), long, numbered(4)]) {
      await store().write(bytes);
      const sizes = readdirSync(directory).map((name) => statSync(join(directory, name)).size);
      expect(sizes).toHaveLength(3);
      expect(Math.min(...sizes)).toBeGreaterThanOrEqual(statSync(file).size);
      expect(store().read().problems).toEqual([]);
    }
    rmSync(file);
    expect(store().read()).toMatchObject({ isOlder: true, problems: [] });
  });

  it('are not overwritten while they are the newest, whenever a daemon has died before', async () => {
    for (const fatal of Object.values(writeSteps)) {
      await store().write(numbered(1));
      await expect(writtenUntil(fatal, numbered(2))).rejects.toThrow('dead');
      for (const sequence of [3, 4]) {
        await store().write(numbered(sequence));
        const before = readFileSync(`${file}.1`);
        expect(store().read().snapshot?.sequence).toBe(sequence);
        writeFileSync(`${file}.tmp`, 'half');
        expect(readFileSync(`${file}.1`).equals(before)).toBe(true);
        expect(store().read().snapshot?.sequence).toBe(sequence);
      }
    }
  });

  it('give nothing if nothing was written', () => {
    expect(store().read()).toEqual({ isOlder: false, invalid: [], problems: [] });
  });

  it('give the previous state if the last one is broken, and keep the broken one', async () => {
    for (const sequence of [1, 2]) await store().write(numbered(sequence));
    writeFileSync(file, 'x');
    const { snapshot: found, isOlder, problems } = store().read();
    expect([found?.sequence, isOlder]).toEqual([1, true]);
    expect(problems).toEqual([expect.stringContaining(`failed to read ${file}: not a state file of nsv`)]);
    expect(readFileSync(`${file}.bad-5`, 'utf8')).toBe('x');
  });

  it('give nothing when both are broken, and keep both, unless that must not be', () => {
    writeFileSync(file, 'x');
    mkdirSync(`${file}.1`);
    const refuse = (problem: string) => {
      throw new Error(problem);
    };
    expect(() => store().read(refuse)).toThrow(`${file}: not a state file of nsv; ${file}.1: not a regular file`);
    expect(readdirSync(directory).sort()).toEqual(['state.json', 'state.json.1']);
    expect(store().read().problems).toHaveLength(2);
    expect(readdirSync(directory).sort()).toEqual(['state.json.bad-5', 'state.json.bad-5.1']);
  });

  it('keep all other apps if one record is broken, and have that one set aside as readable JSON', async () => {
    const [web] = snapshot().groups;
    const broken = { ...web, spec: { ...web?.spec, name: 'broken' }, processes: [{ restarts: 'three' }] };
    await store().write(encodeState(snapshot({ groups: [broken, web] as never })));
    const { snapshot: found, problems, invalid } = store().read();
    expect(found?.groups.map(({ spec }) => spec.name)).toEqual(['web']);
    expect(invalid.map(({ name }) => name)).toEqual(['broken']);
    expect(problems).toEqual([
      expect.stringMatching(/^"broken" was set aside.*must be a whole number.*state\.json\.apps-5$/),
    ]);
    expect(JSON.parse(readFileSync(`${file}.apps-5`, 'utf8'))).toMatchObject([
      { name: 'broken', record: { processes: [{ restarts: 'three' }] } },
    ]);
    expect(statSync(`${file}.apps-5`).mode & 0o777).toBe(0o600);
  });

  it('are set aside with the reason if they are rejected', async () => {
    await store().write(numbered(1));
    const { problems } = store({ reject: () => 'it was written on another machine' }).read(expect.unreachable);
    expect(problems[0]).toContain('it was written on another machine');
    expect(existsSync(file)).toBe(false);
  });

  it('must be regular files, because reading a FIFO would block forever', async () => {
    await store().write(numbered(1));
    await store().write(numbered(2));
    rmSync(file);
    await makeFifo(file);
    const { snapshot: found, problems } = store().read();
    expect(found?.sequence).toBe(1);
    expect(problems).toEqual([expect.stringContaining('not a regular file')]);
  });

  it.skipIf(process.getuid?.() === 0)('are reported if they may not be read', async () => {
    await store().write(numbered(1));
    chmodSync(file, 0);
    expect(store().read().problems[0]).toContain('EACCES');
  });

  it.each(Object.entries(writeSteps))(
    'give a complete state if the daemon dies while writing: %s',
    async (step, fatal) => {
      for (const isSameRun of [true, false]) {
        for (const sequence of [1, 2]) await store().write(numbered(sequence));
        await expect(writtenUntil(fatal, numbered(3))).rejects.toThrow('dead');
        const { snapshot: found, isOlder, problems } = store({ isSameRun }).read();
        const isKept = step === 'renamed' || (step !== 'drafting' && isSameRun);
        expect([found?.sequence, isOlder, problems]).toEqual([isKept ? 3 : 2, false, []]);
        // The next write begins in the draft.
        expect(sequenceIn(file)).toBe(found?.sequence);
      }
    },
  );

  it('are kept for the next daemon before they are on the disk', async () => {
    for (const sequence of [1, 2]) await store().write(numbered(sequence));
    const found: number[] = [];
    await store().write(numbered(3), () => found.push(sequenceIn(`${file}.tmp`), sequenceIn(file)));
    expect(found).toEqual([3, 2]);
  });

  it('are never older because of a draft that is left', async () => {
    for (let sequence = 1; sequence < 9; sequence += 1) {
      await store().write(numbered(sequence));
      for (const daemon of ['next', 'one after it'])
        expect([daemon, store().read().snapshot?.sequence]).toEqual([daemon, sequence]);
    }
  });

  it('are read from a draft that cannot become the file, which is reported', async () => {
    await store().write(numbered(1));
    writeFileSync(`${file}.tmp`, numbered(2));
    mkdirSync(`${file}.1`);
    writeFileSync(join(`${file}.1`, 'in the way'), '');
    expect(store().read()).toMatchObject({
      snapshot: { sequence: 2 },
      isOlder: false,
      problems: [expect.stringContaining(`failed to rename ${file}.tmp`)],
    });
  });

  /** Each stands in the place of what was written last. */
  async function readAll(broken: Iterable<Buffer>): Promise<void> {
    for (const sequence of [1, 2]) await store().write(numbered(sequence));
    const before = readFileSync(`${file}.1`);
    for (const bytes of broken) {
      writeFileSync(file, bytes);
      const { snapshot: found, isOlder, problems } = store().read();
      expect([found?.sequence, isOlder, problems.length]).toEqual([1, true, 1]);
      expect(readFileSync(`${file}.bad-5`)).toEqual(bytes);
      // Comparing element by element takes seconds.
      expect(readFileSync(`${file}.1`).equals(before)).toBe(true);
    }
  }

  it('give the previous state whichever byte of the last one is changed', async () => {
    await readAll([...small.keys()].map((at) => flipped(small, at)));
  });

  it('give the previous state wherever the last one is cut', async () => {
    await readAll([...small.keys()].map((length) => small.subarray(0, length)));
  });

  it('are not disturbed by a draft that was cut at any length', async () => {
    await store().write(numbered(1));
    const draft = small;
    for (const length of draft.keys()) {
      writeFileSync(`${file}.tmp`, draft.subarray(0, length));
      expect(store().read()).toMatchObject({ snapshot: { sequence: 1 }, isOlder: false, problems: [] });
    }
    await store().write(numbered(3));
    expect(store().read().snapshot?.sequence).toBe(3);
  });

  it('are removed after an orderly shutdown', async () => {
    for (const sequence of [1, 2]) await store().write(numbered(sequence));
    store().remove();
    expect(readdirSync(directory)).toEqual([]);
  });
});
