import { describe, expect, it } from 'vitest';
import { FormatterLines } from '../../../src/logs/line-splitter.ts';

/** Pieces are marked by a plus; one chunk is used for all, as a reader does. */
function split(chunks: (string | Buffer)[], longest?: number): string[] {
  const lines: string[] = [];
  const splitter = new FormatterLines((part, isPiece) => {
    lines.push(
      ...part
        .toString()
        .split('\n')
        .map((line) => (isPiece ? `${line}+` : line)),
    );
  }, longest);
  const shared = Buffer.alloc(4096);
  for (const chunk of chunks) splitter.take(shared.subarray(0, Buffer.from(chunk).copy(shared)));
  splitter.finish();
  return lines;
}

describe('lines', () => {
  it.each<[string, string[], string[]]>([
    ['come whole', ['one\ntwo\n'], ['one', 'two']],
    ['come together from pieces', ['o', 'n', 'e\ntw', 'o\nthr', 'ee\n'], ['one', 'two', 'three']],
    ['may be empty', ['\n\n', 'a\n\n'], ['', '', 'a', '']],
    ['keep carriage returns', ['a\r\n', 'b\r', '\n'], ['a\r', 'b\r']],
    ['end with the stream too', ['one\ntw', 'o'], ['one', 'two']],
    ['are absent if there is no input', [], []],
  ])('%s', (_title, chunks, expected) => {
    expect(split(chunks)).toEqual(expected);
  });

  it('come in pieces without loss if they are longer than the limit', () => {
    expect(split(['abcdef', 'gh\ni\n'], 4)).toEqual(['abcd+', 'efgh', 'i']);
    expect(split(['abcdefghij'], 4)).toEqual(['abcd+', 'efgh+', 'ij']);
  });

  it('are not split within a character', () => {
    expect(split(['ab€€€'], 4)).toEqual(['ab+', '€+', '€+', '€']);
    expect(split([Buffer.from('😀😀')], 5)).toEqual(['😀+', '😀']);
  });

  it('are split anywhere if the bytes are not characters', () => {
    const parts: Buffer[] = [];
    const splitter = new FormatterLines((part) => parts.push(Buffer.from(part)), 8);
    splitter.take(Buffer.alloc(20, 0x80));
    splitter.finish();
    expect(Buffer.concat(parts)).toEqual(Buffer.alloc(20, 0x80));
    expect(parts.map(({ length }) => length)).toEqual([8, 8, 4]);
  });
});
