// The launcher as process 1 of a container, under each shell that may be its `sh`. Below it is a stand-in for nsv.
import { execFile } from 'node:child_process';
import { closeSync, openSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bundle } from '../../helpers/bundle.ts';
import { StandIn, shells, whyNoProcess1 } from '../../helpers/process-1.ts';
import { Terminal, whyNoTerminal } from '../../helpers/terminal.ts';
import { describeVariants, variants } from '../../helpers/variants.ts';

const signals = (...left: string[]) =>
  (Object.keys(constants.signals) as NodeJS.Signals[]).filter((name) => !left.includes(name));
const otherNames = ['SIGIOT', 'SIGPOLL', 'SIGUNUSED'];
const passedOn = signals(...otherNames, 'SIGKILL', 'SIGSTOP', 'SIGCHLD');
const harmless = ['SIGCHLD', 'SIGCONT', 'SIGURG', 'SIGWINCH'];
const stopping = ['SIGSTOP', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU'];
/** Node ignores two, and starts its debugger by the third. */
const notForNode = ['SIGPIPE', 'SIGXFSZ', 'SIGUSR1'];
const deadly = signals(...otherNames, ...harmless, ...stopping, ...notForNode);

let standIn: StandIn;
function standInFor(program: string): StandIn {
  standIn = new StandIn(program);
  return standIn;
}
afterEach(() => standIn?.dispose());

describeVariants(shells)('process 1 under $shell', ({ command, isExact }) => {
  const why = whyNoProcess1(command);
  beforeEach(async ({ skip }) => skip((await why) !== undefined, await why));

  it('passes on each signal once', async () => {
    const nsv = standInFor('up.cjs').start(command, []);
    expect(await nsv.line()).toBe('up');
    expect(passedOn).toHaveLength(28);
    for (const name of passedOn) {
      await nsv.signal(name);
      expect(await nsv.line()).toBe(String(constants.signals[name]));
    }
    nsv.child.stdin!.end();
    expect(await nsv.line()).toBeUndefined();
    expect(await nsv.ended).toBe(0);
  });

  it('keeps signals that arrive before Node can receive them', async () => {
    const nsv = standInFor('up.cjs').start(command, ['late']);
    expect(await nsv.line()).toBe('started');
    const early = ['SIGHUP', 'SIGINT', 'SIGUSR1', 'SIGTERM', 'SIGTSTP'] as const;
    for (const name of early) await nsv.signal(name);
    nsv.child.stdin!.write('\n');
    expect(await nsv.line()).toBe('up');
    const came = [];
    for (const _ of early) came.push(Number(await nsv.line()));
    expect(came.toSorted()).toEqual(early.map((name) => constants.signals[name]).toSorted());
    nsv.child.stdin!.end();
    expect(await nsv.line()).toBeUndefined();
    expect(await nsv.ended).toBe(0);
  });

  variants([10, 1_000])('reaps %d orphans', async (count) => {
    const nsv = standInFor('orphans.cjs').start(command, [String(count)]);
    expect(await nsv.line()).toMatch(/^reaped in/);
    expect(await nsv.ended).toBe(0);
  });

  variants([['0 7 255', 'quietly'], ['$(seq 0 255)', 'quietly'], ...(isExact ? [['$(seq 0 255)', 'disturbed']] : [])])(
    'exits with the code of Node (%s) when Node exits %s',
    async (codes, how) => {
      const words = standInFor('ends.sh').commandLine(command, [], how!);
      const script = `for code in ${codes}; do "$@" "$code"; end=$?; [ $end = $code ] || echo "$code became $end"; done`;
      const env = { ...process.env, NSV_NODE: '/bin/sh' };
      expect((await promisify(execFile)('sh', ['-c', script, 'sh', ...words], { env })).stdout).toBe('');
    },
  );

  variants(['SIGTERM', 'SIGSEGV', ...deadly.filter((name) => !['SIGTERM', 'SIGSEGV'].includes(name))] as const, 2)(
    'exits with 128 plus the number of %s if that has ended Node',
    async (name) => {
      const withoutCore = { by: ['sh', '-c', 'ulimit -c 0; exec "$@"', 'sh'] };
      const nsv = standInFor('die.cjs').start(command, [name], { ...withoutCore, stdio: 'ignore' });
      expect(await nsv.ended).toBe(128 + constants.signals[name]);
    },
  );

  it('loses no output of Node', async () => {
    const { child, ended } = standInFor('print.cjs').start(command, []);
    let length = 0;
    for await (const chunk of child.stdout!) length += chunk.length;
    expect(length).toBe(1024 * 1024);
    expect(await ended).toBe(9);
  });

  it('sleeps while nothing happens', { tags: 'full' }, async () => {
    const nsv = standInFor('idle.cjs').start(command, []);
    expect(Number(await nsv.line())).toBeLessThan(5);
  });

  it('passes on its arguments and its own descriptors, or /dev/null if input is closed', async () => {
    const { directory } = standInFor('given.cjs');
    const at = (name: string) => join(realpathSync(directory), name);
    writeFileSync(at('input'), '');
    const files = [openSync(at('input'), 'r'), openSync(at('output'), 'w'), openSync(at('errors'), 'w')];
    const words = ['two words', '', '*', '"\'$HOME`', 'line\nbreak\\n', '--', '-e', 'ä'];
    const given = () => JSON.parse(readFileSync(at('report'), 'utf8'));

    const open = standIn.start(command, [at('report'), ...words], { stdio: files });
    expect(await open.ended).toBe(0);
    expect(given()).toMatchObject({ argv: words, descriptors: [at('input'), at('output'), at('errors')] });

    const closed = standIn.start(command, [at('report')], { stdio: files, by: ['sh', '-c', 'exec "$@" <&-', 'sh'] });
    expect(await closed.ended).toBe(0);
    expect(given().descriptors[0]).toBe('/dev/null');
    for (const fd of files) closeSync(fd);
    expect(readFileSync(at('errors'), 'utf8')).toBe('');
  });

  it('leaves the terminal to an interactive shell below it', async ({ skip }) => {
    skip(whyNoTerminal !== undefined, whyNoTerminal);
    const words = standInFor('terminal.cjs').commandLine(command, ['setsid', '--ctty']);
    const terminal = new Terminal(words);
    const prompt = /bash-[^#$]*[#$] $/;
    await terminal.shows(prompt);
    terminal.type("sed --unbuffered 's/^/heard /'\n");
    terminal.type('one\n');
    await terminal.shows(/heard one/);
    terminal.type('\x1a');
    await terminal.shows(/Stopped/);
    await terminal.shows(prompt);
    terminal.type('fg\n');
    terminal.type('two\n');
    await terminal.shows(/heard two/);
    terminal.type('\x03');
    await terminal.shows(prompt);
    terminal.type('exit 5\n');
    expect(await terminal.ended).toBe(5);
    expect(terminal.screen).not.toMatch(/job control|terminal/);
  });

  it('passes on its environment unchanged, and signals to nsv if nsv asks for that', async () => {
    const program = await bundle('fixture-below-shell');
    const env = { 'a.b-c': 'd=e', node: 'n', nsv_main: '/', PWD: '/nowhere', SHLVL: '7', EMPTY: '' };
    // PATH is for the shell; the rest of our own environment is not to be seen.
    const nsv = standInFor(program).start(
      ['env', '-i', ...entries({ ...env, PATH: process.env.PATH! }), ...command],
      [],
    );
    rmSync(dirname(program), { recursive: true });
    expect(JSON.parse((await nsv.line())!)).toEqual({ ...env, PATH: process.env.PATH });
    await nsv.signal('SIGUSR2');
    expect(await nsv.ended).toBe(42);
  });
});

function entries(env: Record<string, string>): string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`);
}
