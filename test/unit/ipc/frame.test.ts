import { describe, expect, it } from 'vitest';
import { LineReader, LineTooLong, renderLine } from '../../../src/ipc/frame.ts';

const linesOf = (chunks: (string | Buffer)[], limit = 100) => {
  const reader = new LineReader(limit);
  return chunks.flatMap((chunk) => [...reader.read(Buffer.from(chunk))]);
};

describe('a line', () => {
  it.each([
    { case: 'is returned once it has ended', chunks: ['{"a":1}\n'], lines: ['{"a":1}'] },
    { case: 'is not returned before its end', chunks: ['{"a":1}'], lines: [] },
    { case: 'may come in pieces', chunks: ['{"a"', ':', '1}', '\n'], lines: ['{"a":1}'] },
    { case: 'may share its chunk with others', chunks: ['1\n2\n3'], lines: ['1', '2'] },
    { case: 'may begin in the chunk where another ends', chunks: ['1\n2', '2\n3', '\n'], lines: ['1', '22', '3'] },
    { case: 'may end as on Windows', chunks: ['1\r\n2\r', '\n'], lines: ['1', '2'] },
    { case: 'is skipped if it is empty', chunks: ['\n\r\n \n1\n\n'], lines: ['1'] },
    {
      case: 'may be as long as the limit',
      chunks: ['12345678', '90\n', '1234567890\n'],
      lines: ['1234567890', '1234567890'],
    },
  ])('$case', ({ chunks, lines }) => {
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
