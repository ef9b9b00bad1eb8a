import { describe, expect, it } from 'vitest';
import { shellWords } from '../../../src/config/shell-words.ts';

describe('a text', () => {
  it.each<[string, string[]]>([
    ['', []],
    ['  a   b\tc ', ['a', 'b', 'c']],
    ['a "b c" d', ['a', 'b c', 'd']],
    ["'it is' one", ['it is', 'one']],
    ['a\\ b c', ['a b', 'c']],
    ['--x="1 2"', ['--x=1 2']],
    ['"" a', ['', 'a']],
    ['"say \\"hi\\" \\n"', ['say "hi" \\n']],
    ["'\\n' $HOME", ['\\n', '$HOME']],
  ])('is split into words as in a shell: %j: %j', (text, words) => {
    expect(shellWords(text)).toEqual(words);
  });

  it.each(['"open', "it's", 'a "b" "c'])('is rejected if a quote is not closed: %j', (text) => {
    expect(() => shellWords(text)).toThrow('has an unclosed quote');
  });
});
