import { describe, expect, it } from 'vitest';
import { listenVariables } from '../../../../src/daemon/launch/command.ts';

const namesOf = (name: string, ...sockets: { fd: number; name?: string }[]) =>
  listenVariables({ name }, sockets as never).LISTEN_FDNAMES;

describe('the names of inherited sockets', () => {
  it('are as many as there are sockets, whatever the app is called', () => {
    expect(namesOf('api:staging', { fd: 3 }, { fd: 4 })).toBe('api_staging:api_staging');
  });

  it('consist of what sd_listen_fds_with_names(3) allows', () => {
    expect(namesOf('@acme/api v1.2+x', { fd: 3 }, { fd: 4, name: 'ü\u0007\n:~ ' })).toBe('@acme/api v1.2+x:____~ ');
    expect(namesOf('x'.repeat(300), { fd: 3 })).toBe('x'.repeat(255));
  });
});
