// Numbered claims: what a process that was asleep for a while finds when it goes on.
import { readdirSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { Claims } from '../../../../src/os/lock/claims.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

let directory: string;
let claims: Claims;

beforeEach(() => {
  directory = temporaryDirectory();
  claims = new Claims(directory, 'daemon');
});

describe('a claim', () => {
  it('follows the last one, and removes those before it', () => {
    expect(claims.last()).toBeUndefined();
    expect(claims.follow(undefined, 'a')).toBe(true);
    expect(claims.follow(claims.last(), 'b')).toBe(true);
    expect(claims.last()).toEqual({ number: 2, text: 'b' });
    expect(readdirSync(directory)).toEqual(['daemon.2']);
  });

  it('is refused to a process that has slept while another made it', () => {
    claims.follow(undefined, 'dead');
    const known = claims.last();
    claims.follow(known, 'faster');
    expect(claims.follow(known, 'slept')).toBe(false);
    expect(claims.last()).toEqual({ number: 2, text: 'faster' });
  });

  it('is refused to a process that has slept while others made, released and removed it', () => {
    claims.follow(undefined, 'dead');
    const known = claims.last();
    claims.follow(known, 'faster');
    claims.follow(claims.last(), 'released');
    // Its number is free again, but no longer the highest.
    expect(readdirSync(directory)).toEqual(['daemon.3']);
    expect(claims.follow(known, 'slept')).toBe(false);
    expect(claims.last()).toEqual({ number: 3, text: 'released' });
    expect(readdirSync(directory)).toEqual(['daemon.3']);
  });

  it('leaves those of another name alone', () => {
    const others = new Claims(directory, 'launch');
    others.follow(undefined, 'other');
    claims.follow(undefined, 'a');
    claims.follow(claims.last(), 'b');
    expect(others.last()).toEqual({ number: 1, text: 'other' });
  });
});
