// One HTTP/1 connection on a bare socket: no agent that would hide a failure by asking again.
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { parseAnswer } from './answer.mjs';
import { judge as judgeAnswer, kindOfEnd, timeout } from './failures.mjs';
import { whenOverdue } from './overdue.mjs';

export class Http1Connection {
  #socket;
  #received = Buffer.alloc(0);
  #error;
  #judge;
  #name;
  #timeout;
  #settle = () => {};
  usable = true;
  /** For how many milliseconds the server has promised, with the last answer, not to close. */
  promised = Number.POSITIVE_INFINITY;
  openedAt = Date.now();
  localPort;

  /**
   * `judge` says what is wrong with an answer; by default it must be the one of bench/loss/apps. `name`: what the header Host
   * says.
   */
  constructor({ ca, judge = judgeAnswer, name = 'localhost', timeout: mostTime = timeout, ...address }) {
    this.#judge = judge;
    this.#name = name;
    this.#timeout = mostTime;
    this.#socket = ca ? connectTls({ ...address, ca, servername: 'localhost' }) : connect(address);
    this.#socket.on('connect', () => {
      this.localPort = this.#socket.localPort;
    });
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk) => this.#take(chunk));
    this.#socket.on('error', (error) => {
      this.#error = error;
    });
    // Between "end" and "close" a request would be written to a server that is gone; a client that has seen the end
    // does not ask there. One that has not seen it does, and that is a loss.
    this.#socket.on('end', () => {
      this.usable = false;
    });
    this.#socket.on('close', () => this.#finish({ kind: kindOfEnd(this.#error), detail: this.#error?.code }));
  }

  /** Resolves with `{}` or with what went wrong; never rejects. */
  request(path, body, last) {
    this.#received = Buffer.alloc(0);
    const done = new Promise((resolve) => {
      const cancel = whenOverdue(
        this.#timeout,
        () => this.#progress,
        () => this.#finish({ kind: 'hung' }),
      );
      this.#settle = (answer) => {
        cancel();
        this.#settle = () => {};
        const outcome = answer.kind ? answer : this.#judge(answer, path, body?.length ?? 0);
        // After a wrong answer nobody knows to which request the next bytes belong.
        if (outcome.kind) this.usable = false;
        resolve(outcome);
      };
    });
    this.#send(path, body, last);
    return done;
  }

  /** Being connected counts: only then the request leaves. */
  get #progress() {
    return this.#socket.bytesRead + (this.#socket.connecting ? 0 : 1);
  }

  close() {
    this.usable = false;
    this.#socket.destroy();
  }

  #send(path, body, last) {
    const head = [`${body ? 'POST' : 'GET'} ${path} HTTP/1.1`, `Host: ${this.#name}`];
    if (body) head.push('Content-Type: text/plain', `Content-Length: ${body.length}`);
    if (last) head.push('Connection: close');
    this.#socket.write(`${head.join('\r\n')}\r\n\r\n`);
    if (body) this.#sendInHalves(body);
  }

  /** An upload takes its time: a worker may be told to leave when half of it has come. */
  #sendInHalves(body) {
    const half = body.length >> 1;
    this.#socket.write(body.subarray(0, half));
    setTimeout(() => this.#socket.write(body.subarray(half)), 5);
  }

  #take(chunk) {
    this.#received = Buffer.concat([this.#received, chunk]);
    const answer = parseAnswer(this.#received);
    if (!answer) return;
    if (answer.closing) this.usable = false;
    this.promised = answer.hint * 1000;
    this.#settle(answer);
  }

  #finish(failure) {
    this.usable = false;
    this.#settle({ ...failure, bytes: this.#received.length });
    this.#socket.destroy();
  }
}
