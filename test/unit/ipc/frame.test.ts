import { describe, expect, it } from 'vitest';
import { LineReader, LineTooLong, renderLine } from '../../../src/ipc/frame.ts';

const linesOf = (chunks: (string | Buffer)[], limit = 100) => {
  const reader = new LineReader(limit);
  return chunks.flatMap((chunk) => [...reader.read(Buffer.from(chunk))]);
};

describe('a line', () => {
  it.each<[string, string[], string[]]>([
    ['is returned once it has ended', ['{"a":1}\n'], ['{"a":1}']],
    ['is not returned before its end', ['{"a":1}'], []],
    ['may come in pieces', ['{"a"', ':', '1}', '\n'], ['{"a":1}']],
    ['may share its chunk with others', ['1\n2\n3'], ['1', '2']],
    ['may begin in the chunk where another ends', ['1\n2', '2\n3', '\n'], ['1', '22', '3']],
    ['may end as on Windows', ['1\r\n2\r', '\n'], ['1', '2']],
    ['is skipped if it is empty', ['\n\r\n \n1\n\n'], ['1']],
    ['may be as long as the limit', ['12345678', '90\n', '1234567890\n'], ['1234567890', '1234567890']],
  ])('%s', (_title, chunks, lines) => {
    expect(linesOf(chunks, 10)).toEqual(lines);
  });

  it('keeps a character intact that is cut between any two of its bytes', () => {
    const bytes = Buffer.from('"é€🙂"\n');
    for (let cut = 1; cut < bytes.length; cut += 1) {
      expect(linesOf([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(['"é€🙂"']);
    }
  });

  it('is returned whole if it arrives byte by byte', () => {
    const text = JSON.stringify({ text: 'x'.repeat(5_000) });
    expect(
      linesOf(
        [...Buffer.from(`${text}\n`)].map((byte) => Buffer.from([byte])),
        6_000,
      ),
    ).toEqual([text]);
  });

  it.each([
    { case: 'without an end', chunks: ['12345678901'] },
    { case: 'with an end', chunks: ['12345678901\n'] },
    { case: 'in pieces', chunks: ['123456', '78901'] },
    { case: 'after a good one', chunks: ['1\n12345678901'] },
  ])('is rejected if it is longer than the limit: $case', ({ chunks }) => {
    expect(() => linesOf(chunks, 10)).toThrow(LineTooLong);
  });
});

describe('a reader', () => {
  it('reports how much it holds of a line that has not ended', () => {
    const reader = new LineReader(10);
    const states = ['12', '3\n4', '\n'].map((chunk) => {
      for (const _line of reader.read(Buffer.from(chunk)));
      return reader.held;
    });
    expect(states).toEqual([2, 1, 0]);
  });

  it('does not keep the chunk it was given', () => {
    const reader = new LineReader(10);
    const chunk = Buffer.from('12');
    for (const _line of reader.read(chunk));
    chunk.fill('x');
    expect([...reader.read(Buffer.from('3\n'))]).toEqual(['123']);
  });
});

it('a message is rendered as one line, whatever line ends its texts have', () => {
  const message = { text: 'a\nb\r\n' };
  expect(linesOf([renderLine(message)]).map((line) => JSON.parse(line))).toEqual([message]);
});
