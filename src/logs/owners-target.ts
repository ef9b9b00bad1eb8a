// A log file that the user of an app could replace: a process of that user writes it.
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import type { SourceOwner } from '../ipc/formatter-messages.ts';
import { hasProc } from '../os/proc.ts';
import { fixedEnvironment } from '../privileges/carried-environment.ts';
import { type AppUser, withPrivileges } from '../privileges/privileges.ts';
import type { Clock } from '../shared/clock.ts';
import { deferred } from '../shared/promises.ts';
import { throwUncaught } from '../shared/throw-uncaught.ts';
import { isStill, type LogPlace, type Target, type TargetNews } from './log-target.ts';

/** Milliseconds between checks that the path still leads to the same file, and until another attempt after a failure. */
const lookAfter = 1_000;
/** Milliseconds for a writer that is no longer needed: the user of the app may have made the file a FIFO that nobody reads. */
const timeout = 10_000;
const stuck = `nobody has read it for ${timeout / 1_000} seconds`;

/** `gone` resolves when it has exited. */
type Running = ReturnType<typeof startWriter> & { gone: Promise<void> };

export class OwnersTarget implements Target {
  readonly #log: LogPlace;
  readonly #owner: SourceOwner;
  readonly #clock: Clock;
  readonly #news: TargetNews;
  readonly #watchers: (() => void)[] = [];
  #writer: Running | undefined;
  /** Resolves when a writer that gets no more input has written all of it. Later lines must not overtake it. */
  #ending: Promise<void> | undefined;
  #cancelHurry = () => {};
  #waiting: Buffer[] = [];
  #lookedAt: number;
  #retryAt = Number.NEGATIVE_INFINITY;
  /** Undefined until the first write. */
  #isFailing: boolean | undefined;
  /** Bytes lost since the last successful write. */
  #lost = 0;

  constructor(log: LogPlace, owner: SourceOwner, clock: Clock, news: TargetNews) {
    this.#log = log;
    this.#owner = owner;
    this.#clock = clock;
    this.#news = news;
    this.#lookedAt = clock.now();
  }

  /** Whether reading should pause: the writer does not take more, or is being replaced. */
  get isFull(): boolean {
    return this.#waiting.length > 0 || (this.#writer?.input.writableLength ?? 0) > 0;
  }

  drained(): Promise<void> {
    return new Promise((resolve) => (this.isFull ? this.#watchers.push(resolve) : resolve()));
  }

  async written(): Promise<void> {
    await this.drained();
    if (this.#writer) this.#end(this.#writer);
    await this.#ending;
  }

  hurry(): void {
    this.#cancelHurry();
    this.#cancelHurry = this.#clock.after(timeout, () => {
      if (this.isFull) this.#writer?.kill(stuck);
    });
  }

  write(text: string, encoding: BufferEncoding): void {
    const bytes = Buffer.from(text, encoding);
    if (this.#ending) this.#waiting.push(bytes);
    else this.#put(bytes);
  }

  close(): void {
    if (this.#writer) this.#close(this.#writer);
  }

  #put(bytes: Buffer): void {
    const now = this.#clock.now();
    if (this.#writer && now - this.#lookedAt >= lookAfter) {
      this.#lookedAt = now;
      if (!this.#writer.isStill()) this.close();
    }
    const isBroken = this.#writer ? this.#writer.input.destroyed : now < this.#retryAt;
    if (isBroken) {
      this.#lost += bytes.length;
      return;
    }
    this.#writer ??= this.#start();
    this.#writer.input.write(bytes, () => this.#changed());
  }

  #start(): Running {
    const { promise: gone, resolve: exited } = deferred();
    const events: FileWriterEvents = {
      opened: () => {
        // On a full disk, the first write fails.
        if (this.#isFailing !== false) this.#clock.after(lookAfter, () => this.#writer === running && this.#written());
      },
      ended: (detail) => {
        if (detail !== undefined) this.#fail(detail, running.input.writableLength);
        if (this.#writer === running) this.#writer = undefined;
        exited();
        this.#changed();
      },
    };
    const running: Running = { ...startWriter(this.#owner, this.#log, events), gone };
    return running;
  }

  #written(): void {
    if (this.#isFailing !== false) this.#news.written(this.#log.file, this.#lost);
    this.#isFailing = false;
    this.#lost = 0;
  }

  #fail(detail: string, lost: number): void {
    this.#retryAt = this.#clock.now() + lookAfter;
    this.#lost += lost;
    if (!this.#isFailing) this.#news.failed(this.#log.file, detail);
    this.#isFailing = true;
  }

  /** Lets the writer finish. What comes meanwhile waits for another one. */
  #end(writer: Running): void {
    this.#close(writer);
    this.#ending = writer.gone.then(() => {
      this.#ending = undefined;
      for (const bytes of this.#waiting.splice(0)) this.#put(bytes);
      this.#changed();
    });
  }

  #close({ input, gone, kill }: Running): void {
    this.#writer = undefined;
    input.end();
    const cancel = this.#clock.after(timeout, () => kill(stuck));
    gone.then(cancel).catch(throwUncaught);
  }

  #changed(): void {
    if (this.isFull) return;
    for (const drained of this.#watchers.splice(0)) drained();
  }
}

interface FileWriterEvents {
  opened(): void;
  /** `detail`: what went wrong; undefined if all input is written. */
  ended(detail: string | undefined): void;
}

/** As `openLog`. The first newline of the messages says that it is open. */
const script = `umask 027; [ -e "$1" ] || ! [ -d "$2" ] || mkdir -p -- "\${1%/*}"; exec >>"$1"; echo >&2; exec cat`;
const mostText = 4096;

/**
 * A process that appends what it reads to a file, with the rights of another user. It opens the file itself, and what it has
 * taken it still writes if this process dies.
 */
function startWriter(owner: AppUser, log: LogPlace, { opened, ended }: FileWriterEvents) {
  const { command, identity } = withPrivileges(
    ['/bin/sh', '-c', script, 'sh', log.file, log.cwd],
    owner,
    fixedEnvironment,
  );
  const [program, ...words] = command;
  const child = spawn(program, words, { ...identity, cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'pipe'] });
  let text = '';
  let isOpen = false;
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(-mostText);
    const at = isOpen ? -1 : text.search(/^\n/m);
    if (at < 0) return;
    isOpen = true;
    text = text.slice(at + 1);
    opened();
  });
  child.stdin.on('error', () => {});
  const lastLine = () => text.trim().split('\n').at(-1) ?? '';
  let hasEnded = false;
  let killed: string | undefined;
  const end = (detail: string | undefined) => {
    if (!hasEnded) ended(detail);
    hasEnded = true;
  };
  child.on('error', ({ message }) => end(message));
  child.on('close', (code, signal) =>
    end(code === 0 ? undefined : killed || lastLine() || signal || `exit code ${code}`),
  );
  return {
    input: child.stdin,
    /** Whether the path still leads to the file that is open. Also true if that cannot be told. */
    isStill: () => !isOpen || !hasProc || isStill(log, () => statSync(`/proc/${child.pid}/fd/1`)),
    /** Ends it at once. What it has not written is lost, for this reason. */
    kill(reason: string) {
      killed = reason;
      child.kill('SIGKILL');
    },
  };
}
