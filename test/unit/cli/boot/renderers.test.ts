import { describe, expect, it } from 'vitest';
import { renderPropertyList } from '../../../../src/cli/boot/launchd.ts';
import { renderServiceScript } from '../../../../src/cli/boot/openrc.ts';
import { type BootService, generatedMarker } from '../../../../src/cli/boot/service.ts';
import { renderSystemUnit, renderUserUnit } from '../../../../src/cli/boot/systemd.ts';

const plain: BootService = {
  name: 'nsv-web',
  user: 'web',
  directory: '/home/web',
  home: '/home/web/.nsv',
  path: '/usr/local/bin:/usr/bin',
  node: '/usr/bin/node',
  main: '/usr/lib/node_modules/nsv/dist/cli/main.js',
  canNotify: true,
  canDelegate: true,
};

/** Each init system has other characters that it does not take as they are. */
const awkward: BootService = {
  ...plain,
  home: '/srv/100% "mine" & $HOME\\it\'s',
  node: '/opt/my $node/node',
  main: '/opt/$my % <nsv>/main.js',
};

/** The values of one key, in order. */
const valuesOf = (unit: string, key: string) =>
  unit.split('\n').flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []));

describe('a systemd unit', () => {
  const unit = renderSystemUnit(plain);

  it.each([
    ['ExecStart', '/usr/bin/node /usr/lib/node_modules/nsv/dist/cli/main.js daemon --foreground'],
    ['ExecReload', '/usr/bin/node /usr/lib/node_modules/nsv/dist/cli/main.js reload all'],
    ['Environment', 'NSV_HOME=/home/web/.nsv PATH=/usr/local/bin:/usr/bin'],
    ['User', 'web'],
    ['Type', 'notify'],
    ['KillMode', 'process'],
    ['Restart', 'on-failure'],
    ['RestartForceExitStatus', '75'],
    ['RestartPreventExitStatus', '2 4'],
    ['OOMPolicy', 'continue'],
    ['Delegate', 'yes'],
    ['DelegateSubgroup', 'nsv-daemon'],
    ['WantedBy', 'multi-user.target'],
  ])('has %s=%s', (key, value) => {
    expect(valuesOf(unit, key)).toEqual([value]);
  });

  it('has no Type and no NotifyAccess if the daemon cannot notify systemd', () => {
    const simple = renderSystemUnit({ ...plain, canNotify: false });
    expect([valuesOf(simple, 'Type'), valuesOf(simple, 'NotifyAccess')]).toEqual([[], []]);
  });

  it('delegates no cgroup if systemd could not start another daemon in it', () => {
    const old = renderSystemUnit({ ...plain, canDelegate: false });
    expect([valuesOf(old, 'Delegate'), valuesOf(old, 'DelegateSubgroup')]).toEqual([[], []]);
  });

  it.each([
    // systemd looks for no variables in the program.
    ['ExecStart', '"/opt/my $node/node" "/opt/$$my %% <nsv>/main.js" daemon --foreground'],
    ['RequiresMountsFor', '"/srv/100%% \\"mine\\" & $HOME\\\\it\'s"'],
    ['Environment', '"NSV_HOME=/srv/100%% \\"mine\\" & $HOME\\\\it\'s" PATH=/usr/local/bin:/usr/bin'],
  ])('escapes %s as %s', (key, value) => {
    expect(valuesOf(renderSystemUnit(awkward), key)).toEqual([value]);
  });

  it('names no user, nothing of the system and nothing that needs root if it is a user unit', () => {
    const own = renderUserUnit(plain);
    expect(['User', 'After', 'CapabilityBoundingSet'].flatMap((key) => valuesOf(own, key))).toEqual([]);
    expect(valuesOf(own, 'WantedBy')).toEqual(['default.target']);
  });
});

describe('a launchd property list', () => {
  it('has the command word by word, and the keys that let apps survive a daemon crash', () => {
    const words = /<array>([\s\S]*)<\/array>/
      .exec(renderPropertyList(plain))?.[1]
      ?.match(/(?<=<string>).*(?=<\/string>)/g);
    expect(words).toEqual([plain.node, plain.main, 'daemon', '--foreground']);
    expect(renderPropertyList(plain)).toMatch(/<key>AbandonProcessGroup<\/key>\s*<true\/>/);
    expect(renderPropertyList(plain)).toMatch(/<key>SuccessfulExit<\/key>\s*<false\/>/);
  });

  it('escapes the special characters of XML', () => {
    const list = renderPropertyList(awkward);
    expect(list).toContain('<string>/opt/$my % &lt;nsv&gt;/main.js</string>');
    expect(list).toContain('"mine" &amp; $HOME');
  });
});

describe('an OpenRC script', () => {
  it('quotes once for the script and once for the command line', () => {
    const script = renderServiceScript(awkward);
    expect(script).toContain(String.raw`command=''\''/opt/my $node/node'\'''`);
    expect(script).toContain(String.raw`command_args=''\''/opt/$my % <nsv>/main.js'\'' daemon --foreground'`);
    expect(script).toContain(String.raw`export NSV_HOME='/srv/100% "mine" & $HOME\it'\''s'`);
  });
});

describe('every file', () => {
  it.each([renderSystemUnit, renderUserUnit, renderPropertyList, renderServiceScript])(
    'contains the marker of generated files (%o)',
    (render) => {
      expect(render(awkward)).toContain(generatedMarker);
    },
  );
});
