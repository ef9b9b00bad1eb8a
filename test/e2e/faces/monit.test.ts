// The screen of `nsv monit` in a terminal of its own, with keys and signals, until the terminal is as it was.
import { readlinkSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { homeForEach, launcher, processesWith } from '../../helpers/nsv.ts';
import { procFile } from '../../helpers/proc.ts';
import { outputOf } from '../../helpers/program.ts';
import { screenOf } from '../../helpers/screen.ts';
import { Terminal, whyNoTerminal } from '../../helpers/terminal.ts';

const nsv = homeForEach();
const says = `console.log('hello'); console.error('oops');
process.on('SIGUSR2', () => console.log('got it')); setInterval(() => {}, 1e6);`;

/** A screen, and the shell that goes on when it has ended: it says the exit code, and how the terminal is. */
class Screen {
  readonly terminal: Terminal;

  constructor(words = '', env: Record<string, string> = {}) {
    const then = 'echo "ended with $?"; stty -a | grep -ow -- "-\\?\\(icanon\\|echo\\)"; echo over';
    const variables = Object.entries({ NSV_HOME: nsv.home, ...env }).map(([name, value]) => `${name}=${value}`);
    this.terminal = new Terminal(['env', ...variables, 'sh', '-c', `"${launcher}" monit ${words}; ${then}`]);
  }

  get rows(): string[] | undefined {
    return screenOf(this.terminal.screen);
  }

  async shows(pattern: RegExp): Promise<void> {
    await eventually(() => pattern.test(this.rows?.join('\n') ?? ''));
  }

  async types(keys: string, pattern: RegExp): Promise<void> {
    this.terminal.type(keys);
    await this.shows(pattern);
  }

  /** Waits for its end. What was shown after it had made undone, once, what it does to a terminal. */
  async ends(): Promise<string> {
    await this.terminal.shows(/over\r\n/);
    await this.terminal.ended;
    const [, shown, ...more] = this.terminal.screen.split('\x1b[?1049h\x1b[?25l\x1b[?7l');
    const [, after, ...again] = shown!.split('\x1b[?7h\x1b[?25h\x1b[?1049l');
    expect([more, again]).toEqual([[], []]);
    return after!;
  }

  /** Of nsv itself. */
  get pid(): number {
    const [pid] = processesWith(`NSV_HOME=${nsv.home}`).filter((each) =>
      procFile(each, 'cmdline')?.includes('main.js\0monit'),
    );
    return pid!;
  }
}

const asBefore = 'icanon\r\necho\r\nover\r\n';

describe('nsv monit', () => {
  beforeEach(({ skip }) => skip(whyNoTerminal !== undefined, whyNoTerminal));

  beforeEach(async () => {
    await nsv.ok('start', nsv.script('web.js', says), '--name', 'web');
  });

  it('shows the processes and their output as it arrives, and restores the terminal', async () => {
    const screen = new Screen();
    await screen.shows(/^> {2}0 {2}web .* running /m);
    await screen.shows(/^\| hello$/m);
    await screen.shows(/^! oops$/m);
    await nsv.ok('signal', 'USR2', 'web');
    await screen.shows(/^\| got it$/m);
    await nsv.ok('start', '/bin/sleep', '--name', 'nap', '--', '1000');
    await screen.types('j', /^ {3}0 {2}web(.|\n)*^> {2}1 {2}nap /m);
    screen.terminal.type('q');
    expect(await screen.ends()).toBe(`ended with 0\r\n${asBefore}`);
  });

  it('restarts, reloads, stops and starts a process after confirmation', async () => {
    const screen = new Screen('web');
    const [first] = await nsv.list();
    await screen.types('r', /restart 0\|web\|0\? y\/n/);
    await screen.types('n', /q quit/);
    expect((await nsv.list())[0]!.pid).toBe(first!.pid);
    await screen.types('r', /restart 0\|web\|0\? y\/n/);
    await screen.types('y', /restart 0\|web\|0: done/);
    const [second] = await nsv.list();
    expect(second!.pid).not.toBe(first!.pid);
    await screen.types('l', /reload 0\|web\|0\? y\/n/);
    await screen.types('y', /reload 0\|web\|0: done/);
    expect((await nsv.list())[0]!.pid).not.toBe(second!.pid);
    await screen.types('s', /stop 0\|web\|0\? y\/n/);
    await screen.types('y', /stop 0\|web\|0: done(.|\n)*$/);
    await screen.shows(/^> {2}0 {2}web .* stopped /m);
    await screen.types('s', /start 0\|web\|0\? y\/n/);
    await screen.types('y', /start 0\|web\|0: done/);
    screen.terminal.type('q');
    await screen.ends();
  });

  it('shows why a command failed', { tags: 'full' }, async () => {
    // One that takes the place of a process that listened is ready only when it listens as well.
    const listens = "require('node:http').createServer().listen(0);";
    await nsv.ok('start', nsv.script('once.js', listens), '--name', 'once');
    const screen = new Screen('once');
    await screen.shows(/once .* online/);
    nsv.script('once.js', 'process.exit(3)');
    await screen.types('l', /reload 1\|once\|0\? y\/n/);
    await screen.types('y', /reload of|did not start/);
    screen.terminal.type('q');
    await screen.ends();
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGQUIT', 131],
  ] as const)('restores the terminal when %s ends it', { tags: 'full' }, async (signal, code) => {
    const screen = new Screen();
    await screen.shows(/^> {2}0 {2}web/m);
    process.kill(screen.pid, signal);
    expect(await screen.ends()).toMatch(new RegExp(`ended with ${code}\r\n${asBefore}$`));
  });

  it('exits with 0 on Ctrl-C', { tags: 'full' }, async () => {
    const screen = new Screen();
    await screen.shows(/^> {2}0 {2}web/m);
    screen.terminal.type('\x03');
    expect(await screen.ends()).toBe(`ended with 0\r\n${asBefore}`);
  });

  it('is redrawn when the terminal is resized', { tags: 'full' }, async () => {
    const screen = new Screen();
    await screen.shows(/^> {2}0 {2}web/m);
    const device = readlinkSync(`/proc/${screen.pid}/fd/0`);
    await outputOf('stty', ['-F', device, 'rows', '5', 'cols', '20']);
    await eventually(() => screen.rows?.length === 5 && screen.rows.every((row) => row.length <= 20));
    screen.terminal.type('q');
    await screen.ends();
  });

  it('reports that the daemon has gone, and continues with the next one', { tags: 'full' }, async () => {
    const screen = new Screen();
    await screen.shows(/^> {2}0 {2}web/m);
    await nsv.killDaemon();
    await screen.shows(/lost the connection to the daemon/);
    await screen.shows(/connected to a new daemon, pid \d+/);
    await screen.types('r', /restart 0\|web\|0\? y\/n/);
    await screen.types('y', /restart 0\|web\|0: done/);
    screen.terminal.type('q');
    await screen.ends();
  });

  it('is suspended by Ctrl-Z and resumed by fg', { tags: 'full' }, async () => {
    const bash = ['bash', '--norc', '--noediting', '-i'];
    const terminal = new Terminal(['env', `NSV_HOME=${nsv.home}`, 'PS1=ready$ ', ...bash]);
    await terminal.shows(/ready\$ $/);
    terminal.type(`"${launcher}" monit\n`);
    await eventually(() => screenOf(terminal.screen)?.some((row) => row.startsWith('>  0  web')));
    terminal.type('\x1a');
    await terminal.shows(/\x1b\[\?1049l[\s\S]*Stopped[\s\S]*ready\$ $/);
    terminal.type('fg\n');
    await terminal.shows(/Stopped[\s\S]*\x1b\[\?1049h/);
    await eventually(() => screenOf(terminal.screen)?.some((row) => row.startsWith('>  0  web')));
    terminal.type('q');
    await terminal.shows(/\x1b\[\?1049l[^\x1b]*ready\$ $/);
    terminal.type('exit\n');
    expect(await terminal.ended).toBe(0);
  });

  it('has colours only without NO_COLOR', { tags: 'full' }, async () => {
    for (const [env, colours] of [[{ NO_COLOR: '1' }, false] as const, [{ NO_COLOR: '' }, true] as const]) {
      const screen = new Screen('', { TERM: 'xterm', ...env });
      await screen.shows(/^> {2}0 {2}web/m);
      screen.terminal.type('q');
      await screen.ends();
      expect(/\x1b\[[\d;]*m/.test(screen.terminal.screen)).toBe(colours);
    }
  });

  it('fails without opening the screen if no app matches', { tags: 'full' }, async () => {
    const screen = new Screen('nobody');
    await screen.terminal.shows(/no app matches "nobody"[\s\S]*ended with 3/);
    const coloursAside = screen.terminal.screen.replace(/\x1b\[[\d;]*m/g, '');
    expect(coloursAside).not.toContain('\x1b[');
    await screen.terminal.ended;
  });
});

it('nsv monit names commands for programs if there is no terminal', { tags: 'full' }, async () => {
  const stderr = await nsv.fails(7, 'monit');
  expect(stderr).toMatch(
    /the dashboard needs a terminal, and standard output is not one\n.*"nsv list --json", "nsv logs --json"/,
  );
});
