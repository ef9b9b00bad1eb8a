import { describe, expect, it } from 'vitest';
import { probe, probeDefaults, probePlaceOf, probeText } from '../../../../src/config/options/probe.ts';

describe('a probe in one word', () => {
  it.each([
    ['http://:3000/health', { http: 'http://:3000/health' }],
    ['https://example.com/a?b=c', { http: 'https://example.com/a?b=c' }],
    ['tcp://:3000', { tcp: ':3000' }],
    ['tcp://127.0.0.1:3000', { tcp: '127.0.0.1:3000' }],
    ['exec:curl -f localhost | grep ok', { exec: 'curl -f localhost | grep ok' }],
  ])('is parsed: %s', (word, target) => {
    expect(probe(word)).toEqual({ ...target, ...probeDefaults });
  });

  it.each([
    ...['', ':3000', 'ftp://:3000', 'exec:', 'exec: ', 'tcp://', 'tcp://host', 'tcp://:0', 'tcp://:70000'],
    ...['http://:3000/a b', 'http://:3000/\r\nHost: x', 'http://:99999/', 'http://user:pass@host/', 'http://:3000/#x'],
    ...[17, null, ['tcp://:3000']],
  ])('cannot be %j', (word) => {
    expect(() => probe(word)).toThrow(/^must /);
  });
});

describe('a probe in a config file', () => {
  it('accepts rules by the names of nsv or of Kubernetes', () => {
    const rules = { interval: 5_000, timeout: 2_000, failures: 1, successes: 2, initialDelay: 3_000 };
    const expected = { http: 'http://:3000/health', ...rules };
    expect(probe({ http: ':3000/health', ...rules, interval: '5s', initialDelay: '3s' })).toEqual(expected);
    const counts = { failureThreshold: 1, successThreshold: 2 };
    const times = { periodSeconds: 5, timeoutSeconds: 2, initialDelaySeconds: 3 };
    expect(probe({ http: ':3000/health', ...counts, ...times })).toEqual(expected);
    expect(probe({ tcp: 3000, initial_delay: '1s' })).toEqual({ tcp: ':3000', ...probeDefaults, initialDelay: 1_000 });
  });

  it('is unchanged when it is parsed again', () => {
    for (const word of ['http://:3000/', 'tcp:///run/app.sock', 'exec:true'])
      expect(probe(probe(word))).toEqual(probe(word));
  });

  it.each([
    [{}, 'one of "http", "tcp" and "exec"'],
    [{ http: ':1/', tcp: ':2' }, 'one of "http", "tcp" and "exec"'],
    [{ tcp: ':2', period: 1 }, 'no key "period"'],
    [{ tcp: ':2', toString: 1 }, 'no key "toString"'],
    [{ tcp: ':2', interval: '10ms' }, 'invalid "interval": it must be at least 100ms'],
    [{ tcp: ':2', timeoutSeconds: 0 }, 'invalid "timeoutSeconds"'],
    [{ tcp: ':2', failures: 0 }, 'invalid "failures"'],
    [{ exec: ['true'] }, 'a command'],
  ])('is rejected: %j', (input, why) => {
    expect(() => probe(input)).toThrow(why);
  });
});

describe('the place of a probe', () => {
  const place = { scheme: 'http', host: undefined, port: 3000, socket: undefined, path: '/' };

  it.each([
    ['http://:3000', place],
    ['http://:3000/health?full', { ...place, path: '/health?full' }],
    ['https://[::1]:3000/', { ...place, scheme: 'https', host: '::1' }],
    ['http:///health', { ...place, port: undefined, path: '/health' }],
    ['https://example.com', { ...place, scheme: 'https', host: 'example.com', port: 443 }],
    ['http://unix:/run/app.sock:/health', { ...place, port: undefined, socket: '/run/app.sock', path: '/health' }],
    ['tcp:///run/app.sock', { ...place, scheme: 'tcp', port: undefined, socket: '/run/app.sock', path: '' }],
    ['exec:true', undefined],
  ])('is parsed from %s', (word, expected) => {
    expect(probePlaceOf(probe(word))).toEqual(expected);
  });
});

describe('the text of a probe', () => {
  it('shows the interval and what differs from the defaults', () => {
    expect(probeText(probe('tcp://:3000'))).toBe('tcp://:3000 every 10s');
    const strict = { exec: './check', interval: '1m', timeout: '5s', failures: 1, initialDelay: '2s' };
    expect(probeText(probe(strict))).toBe('exec:./check every 1m, timeout 5s, failures 1, initial delay 2s');
  });
});
