// `nsv run` as process 1 of a PID namespace, under each shell: orphans, exit codes, signals, stops, a stop under load.
// node bench/process-1.mjs [shell ...]: default dash, bash, busybox. Needs unshare(1) as root, and python3 for the orphans.
// Exit code 1 if anything is not as docs/run.md says.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Load } from './loss/client.mjs';
import { createHome, freePort, launcher, printTable, root } from './measure.mjs';

const shells = process.argv.length > 2 ? process.argv.slice(2) : ['dash', 'bash', 'busybox'];
const home = createHome();
const scripts = mkdtempSync(join(tmpdir(), 'nsv-process-1-'));
const namespace = ['--pid', '--fork', '--mount-proc', '--kill-child'];
const fixture = (name) => join(root, 'test', 'fixtures', 'apps', name);

function script(name, source) {
  const file = join(scripts, name);
  writeFileSync(file, source);
  return file;
}

function commandLine(shell, words) {
  return [...namespace, ...(shell === 'busybox' ? ['busybox', 'sh'] : [shell]), launcher, 'run', ...words];
}

/** Runs it to its end. */
function ends(shell, ...words) {
  return spawnSync('unshare', commandLine(shell, words), { env: home.env, maxBuffer: 1e8 });
}

/** Runs it, and resolves once its output matches. */
class Running {
  static async prints(shell, pattern, ...words) {
    const running = new Running(spawn('unshare', commandLine(shell, words), { env: home.env }));
    await running.prints(pattern);
    return running;
  }

  output = '';

  constructor(child) {
    this.child = child;
    this.ended = once(child, 'close').then(([code]) => ({ code, at: performance.now() }));
    child.stdout.setEncoding('utf8').on('data', (text) => (this.output += text));
    child.stderr.resume();
  }

  /** Resolves with the match, once there is one. */
  async prints(pattern) {
    for (let waited = 0; waited < 20_000; waited += 5) {
      const match = pattern.exec(this.output);
      if (match) return match;
      await after(5);
    }
    throw new Error(`${pattern} was not printed`);
  }

  /** To process 1 of the namespace. */
  sends(signal) {
    const { pid } = this.child;
    process.kill(Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), 10), signal);
  }
}

const facts = {
  async 'zombies 1 s after 1,000 double-forked orphans have ended'(shell) {
    const source = `import os, time
for _ in range(1000):
    if (child := os.fork()) == 0:
        if os.fork() == 0:
            time.sleep(0.2)
        os._exit(0)
    os.waitpid(child, 0)
def state(pid):
    try: return open(f'/proc/{pid}/stat').read().rsplit(')', 1)[1].split()[0]
    except OSError: return 'gone'
def states():
    return [state(pid) for pid in os.listdir('/proc') if pid.isdigit()]
while states().count('S') > 4: time.sleep(0.05)
time.sleep(1)
print(states().count('Z'))
`;
    const { stdout } = ends(shell, '--', 'python3', script('orphans.py', source));
    return [stdout.toString().trim(), '0'];
  },

  async 'what an app leaves behind is gone at the end'(shell) {
    const left = script('left.sh', '(setsid sleep 777 & setsid sh -c "trap : TERM; sleep 778; sleep 778" & ); exit 4');
    const { status } = ends(shell, '--stop-timeout', '1s', '--', 'sh', left);
    const { stdout } = spawnSync('pgrep', ['-f', '^sleep 77[78]'], { encoding: 'utf8' });
    return [`code ${status}, ${stdout.split('\n').length - 1} left`, 'code 4, 0 left'];
  },

  async 'exit codes 0 to 255 that pass through'(shell) {
    const codes = Array.from({ length: 256 }, (_, code) => code);
    const right = codes.filter((code) => ends(shell, '--', 'sh', '-c', `exit ${code}`).status === code);
    return [`${right.length}`, '256'];
  },

  async 'deadly signals that end in 128 + n'(shell) {
    const names =
      'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT XCPU XFSZ VTALRM PROF IO PWR SYS';
    const all = names.split(' ');
    const right = all.filter((name) => {
      const wanted = 128 + constants.signals[`SIG${name}`];
      return (
        ends(
          shell,
          '--',
          'python3',
          '-c',
          `import os,signal\nfor s in (2,13,25): signal.signal(s,signal.SIG_DFL)\nos.kill(os.getpid(),signal.SIG${name})`,
        ).status === wanted
      );
    });
    return [
      `${right.length} of ${all.length}${all.filter((name) => !right.includes(name)).map((name) => ` not ${name}`)}`,
      `${all.length} of ${all.length}`,
    ];
  },

  async '1 MB printed right before exit, bytes that arrive'(shell) {
    const { stdout, status } = ends(
      shell,
      script('print.cjs', "process.stdout.write('x'.repeat(1e6)); process.exit(3)"),
      '--max-restarts',
      '0',
    );
    return [`${stdout.length}, code ${status}`, '1000000, code 3'];
  },

  async 'signals that the app gets once'(shell) {
    const meant = ['SIGTERM', 'SIGINT', 'SIGHUP']; // a stop and a reload
    const kept = ['SIGKILL', 'SIGSTOP', 'SIGCHLD', 'SIGPIPE', 'SIGILL', 'SIGFPE', 'SIGSEGV', 'SIGBUS'];
    const names = Object.keys(constants.signals).filter((name) => ![...meant, ...kept].includes(name));
    const numbers = [...new Set(names.map((name) => constants.signals[name]))];
    const running = await Running.prints(shell, /up \d+/, fixture('hears.cjs'));
    for (const number of numbers) {
      running.sends(number);
      await running.prints(new RegExp(`heard ${number}\\.`));
    }
    running.sends('SIGTERM');
    await running.ended;
    return [`${running.output.match(/heard/g).length}`, `${numbers.length}`];
  },

  async 'SIGTERM, an app that needs 2 s'(shell) {
    const running = await Running.prints(shell, /up \d+/, fixture('finishes.cjs'), '--', '2000', '9');
    running.sends('SIGTERM');
    await running.prints(/finished/);
    const finished = performance.now();
    const { code, at } = await running.ended;
    const late = Math.round(at - finished);
    return [`code ${code}, ${late < 100 ? 'within 100' : late} ms of its end`, 'code 9, within 100 ms of its end'];
  },

  async 'SIGTERM, an app that ignores it, with descendants'(shell) {
    const app = script(
      'stubborn.sh',
      "trap '' TERM; setsid sleep 779 & sleep 779 & echo up 1; while :; do sleep 1; done",
    );
    const running = await Running.prints(shell, /up \d+/, '--kill-timeout', '1s', '--', 'sh', app);
    running.sends('SIGTERM');
    const { code } = await running.ended;
    const { stdout } = spawnSync('pgrep', ['-f', '^sleep 779'], { encoding: 'utf8' });
    return [`code ${code}, ${stdout.split('\n').length - 1} left`, 'code 137, 0 left'];
  },

  async 'SIGTERM under load, five times: accepted requests without their answer'(shell) {
    const hello = pathToFileURL(join(root, 'bench', 'loss', 'apps', 'hello.mjs'));
    const source = `import { createServer } from 'node:http';
      import { answer } from '${hello}';
      const app = (request, response) => (console.log(\`got \${request.url} \`), answer(request, response));
      createServer(app).listen(process.env.PORT, () => console.log('up 1'));`;
    const web = script('web.mjs', source);
    let accepted = 0;
    const lost = [];
    for (let time = 0; time < 5; time += 1) {
      home.env.PORT = String(await freePort());
      const running = await Running.prints(shell, /up 1[\s\S]*up 1/, web, '-i', '2');
      const load = new Load({ host: '127.0.0.1', port: home.env.PORT });
      await after(1000);
      running.sends('SIGTERM');
      await running.ended;
      await load.stop();
      const got = new Set(running.output.match(/(?<=got )\S+/g));
      accepted += got.size;
      lost.push(...load.failures.filter(({ path }) => got.has(path)));
    }
    return [`${lost.length}${accepted < 1000 ? ` of only ${accepted}` : ''}`, '0'];
  },
};

const rows = [['fact', 'wanted', ...shells]];
try {
  for (const [name, find] of Object.entries(facts)) {
    const found = [];
    for (const shell of shells) found.push(await find(shell));
    const wrong = found.filter(([seen, wanted]) => seen !== wanted);
    if (wrong.length > 0) process.exitCode = 1;
    rows.push([name, found[0][1], ...found.map(([seen, wanted]) => (seen === wanted ? 'as wanted' : seen))]);
    console.error(`${name}: ${found.map(([seen]) => seen).join('; ')}`);
  }
  printTable(`nsv run as process 1, Node ${process.versions.node}`, rows);
} finally {
  home.dispose();
  rmSync(scripts, { recursive: true, force: true });
}
