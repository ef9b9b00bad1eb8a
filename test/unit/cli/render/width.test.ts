import { describe, expect, it } from 'vitest';
import { cutMiddle, cutTo, padTo, piecesOf, widthOf } from '../../../../src/cli/render/width.ts';

describe('the width of a text', () => {
  it.each([
    ['', 0],
    ['plain', 5],
    ['é', 1],
    ['e\u0301', 1],
    ['健康', 4],
    ['한글', 4],
    ['ｆｕ', 4],
    ['👍', 2],
    ['▁▂█─·…', 6],
  ])('of %j is %i', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });
});

describe('a text', () => {
  it.each([
    ['plain', 5, 'plain'],
    ['plain', 4, 'pla…'],
    ['健康', 4, '健康'],
    ['健康', 3, '健…'],
    ['健康', 2, '…'],
    ['plain', 0, ''],
    ['plain', -3, ''],
  ])('is cut: %j to %i columns: %j', (text, width, cut) => {
    expect(cutTo(text, width)).toBe(cut);
  });

  it('is padded or cut to a width', () => {
    expect(padTo('健', 4)).toBe('健  ');
    expect(padTo('健', 4, 'right')).toBe('  健');
    expect(padTo('plain', 3)).toBe('pl…');
  });

  it.each([
    ['abcdefg', 3, ['abc', 'def', 'g']],
    ['健康診断', 3, ['健', '康', '診', '断']],
    ['健康', 1, ['健', '康']],
    ['', 5, ['']],
  ])('is split into pieces: %j by %i: %j', (text, width, pieces) => {
    expect(piecesOf(text, width)).toEqual(pieces);
  });
});

describe('the middle of a text', () => {
  it.each([
    ['web', 3, 'web'],
    ['production-api-7', 9, 'prod…pi-7'],
    ['production-api-7', 4, 'pr…7'],
    ['production-api-7', 1, '…'],
    ['production-api-7', 0, ''],
    ['漢字漢字漢字', 7, '漢…漢字'],
    ['漢字漢字漢字', 6, '漢…字'],
  ])('is cut out: %s in %i columns', (text, width, expected) => {
    expect(cutMiddle(text, width)).toBe(expected);
    expect(widthOf(cutMiddle(text, width))).toBeLessThanOrEqual(width);
  });
});
