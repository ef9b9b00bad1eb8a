// A client of cleartext http2 that opens streams until it reads GOAWAY: every frame is the test's, so that none is held back.
import { connect, type Socket } from 'node:net';
import { eventually } from './eventually.ts';

const types = { data: 0, headers: 1, rstStream: 3, settings: 4, ping: 6, goaway: 7 };
const endStream = 1;
const ack = 1;
/** GET, http and "/" of the static table (RFC 7541, appendix A), and "test" as the authority. */
const getRoot = Buffer.from('828684' + '010474657374', 'hex');

export class StreamOpener {
  answered = 0;
  refused = 0;
  /** The last stream of each GOAWAY. */
  readonly lastStreams: number[] = [];
  readonly #socket: Socket;
  #asked = 0;
  #unread = Buffer.alloc(0);

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1').on('data', (chunk) => this.#read(chunk));
    this.#socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    this.#say(types.settings, 0, 0, Buffer.alloc(0));
    const timer = setInterval(() => {
      if (this.lastStreams.length === 0) this.#ask();
      else clearInterval(timer);
    }, 2);
  }

  /** Resolves when the server has closed the connection. */
  over(): Promise<boolean> {
    return eventually(() => this.#socket.readableEnded);
  }

  get unanswered(): number {
    return this.#asked - this.answered;
  }

  #ask(): void {
    // Those of a client are odd.
    this.#say(types.headers, endStream | 4, 2 * this.#asked + 1, getRoot);
    this.#asked += 1;
  }

  #say(type: number, flags: number, stream: number, payload: Buffer): void {
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.length, 0, 3);
    head.writeUInt8(type, 3);
    head.writeUInt8(flags, 4);
    head.writeUInt32BE(stream, 5);
    this.#socket.write(Buffer.concat([head, payload]));
  }

  #read(chunk: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, chunk]);
    while (this.#unread.length >= 9 && this.#unread.length >= 9 + this.#unread.readUIntBE(0, 3)) {
      const end = 9 + this.#unread.readUIntBE(0, 3);
      const [frame, rest] = [this.#unread.subarray(0, end), this.#unread.subarray(end)];
      this.#unread = rest;
      this.#hear(frame.readUInt8(3), frame.readUInt8(4), frame.subarray(9));
    }
  }

  #hear(type: number, flags: number, payload: Buffer): void {
    if (type === types.goaway) this.lastStreams.push(payload.readUInt32BE(0));
    else if (type === types.ping && !(flags & ack)) this.#say(types.ping, ack, 0, payload);
    else if (type === types.rstStream) this.refused += 1;
    else if ((type === types.headers || type === types.data) && flags & endStream) this.answered += 1;
  }
}
