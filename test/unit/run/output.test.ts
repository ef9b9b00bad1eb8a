import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { passLines } from '../../../src/run/output.ts';

/** What comes out of these chunks, with a mark before each line. */
async function passed(...chunks: (string | Buffer)[]): Promise<string> {
  const stream = new PassThrough();
  const written: Buffer[] = [];
  const writer = {
    write: (text: string | Buffer) => void written.push(Buffer.from(text)),
    isFull: false,
    isClosed: false,
  };
  const render = (lines: Buffer) => Buffer.from(`> ${lines.toString('latin1').replaceAll('\n', '\n> ')}\n`, 'latin1');
  const done = passLines(stream, (lines) => writer.write(render(lines)), { ...writer, drained: async () => {} });
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await done;
  return Buffer.concat(written).toString('latin1');
}

describe('output that is passed on line by line', () => {
  it.each<[string, string[], string]>([
    ['whole lines', ['one\ntwo\n'], '> one\n> two\n'],
    ['a line in pieces', ['o', 'n', 'e\ntw', 'o\n'], '> one\n> two\n'],
    ['empty lines', ['\n\n'], '> \n> \n'],
    ['a last line without its newline', ['one\ntwo'], '> one\n> two\n'],
    ['nothing', [], ''],
  ])('is %s', async (_title, chunks, expected) => {
    expect(await passed(...chunks)).toBe(expected);
  });

  it('keeps bytes that are not text', async () => {
    expect(await passed(Buffer.from([0xff, 0x00, 0x0a]))).toBe('> \xff\0\n');
  });

  it('comes in pieces when a line has no end', async () => {
    const text = await passed('x'.repeat(2_000_000), 'y\n');
    expect(text.replaceAll(/> |\n/g, '')).toBe(`${'x'.repeat(2_000_000)}y`);
    expect(text.split('\n').length).toBeGreaterThan(2);
  });

  it('waits for a writer that is full', async () => {
    const stream = new PassThrough();
    let makeRoom = () => {};
    const drained = () => new Promise<void>((done) => (makeRoom = done));
    const writer = { isFull: true, isClosed: false, drained };
    void passLines(stream, () => {}, writer);
    stream.write('one\n');
    await new Promise(setImmediate);
    expect(stream.isPaused()).toBe(true);
    makeRoom();
    await new Promise(setImmediate);
    expect(stream.isPaused()).toBe(false);
  });

  it('is no longer read once the writer is closed', async () => {
    const stream = new PassThrough();
    const written: string[] = [];
    const writer = { isFull: false, isClosed: true, write: (text: string | Buffer) => void written.push(`${text}`) };
    const done = passLines(stream, writer.write, { ...writer, drained: async () => {} });
    stream.write('one\ntw');
    await done;
    expect(stream.destroyed).toBe(true);
    expect(written).toEqual(['one']);
  });
});
