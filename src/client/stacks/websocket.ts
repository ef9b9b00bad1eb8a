// A client of WebSockets for Node's inspector, RFC 6455. Node 20 has none, and that of later versions loads megabytes.
import { connect, type Socket } from 'node:net';
import { randomBytes } from '../../shared/random.ts';

/** Bytes of a message. Whoever sends more is no inspector that was asked for a stack. */
const longest = 16 * 1024 * 1024;

const opcodes = { text: 1, close: 8 };

export interface WebSocketEvents {
  opened(): void;
  message(text: string): void;
  /** Called once. */
  closed(error?: Error): void;
}

export class WebSocketClient {
  readonly #socket: Socket;
  readonly #events: WebSocketEvents;
  #received = Buffer.alloc(0);
  #isOpen = false;
  #isOver = false;

  /** `address`: `ws://127.0.0.1:<port>/<path>`. */
  constructor(address: URL, events: WebSocketEvents) {
    this.#events = events;
    this.#socket = connect(Number(address.port), address.hostname, () => {
      const key = randomBytes(16).toString('base64');
      this.#socket.write(
        `GET ${address.pathname} HTTP/1.1\r\nHost: ${address.host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
          `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      );
    });
    this.#socket.on('data', (chunk) => this.#receive(chunk));
    this.#socket.on('error', (error) => this.#end(error));
    this.#socket.on('close', () => this.#end());
  }

  /** Clients mask what they send; the mask need not be secret on a loopback address, but must be there. */
  send(text: string): void {
    const payload = Buffer.from(text);
    const mask = randomBytes(4);
    const head = Buffer.alloc(10);
    head[0] = 0x80 | opcodes.text;
    head[1] = 0x80 | 127;
    head.writeBigUInt64BE(BigInt(payload.length), 2);
    for (let at = 0; at < payload.length; at += 1) payload[at]! ^= mask[at % 4]!;
    this.#socket.write(Buffer.concat([head, mask, payload]));
  }

  close(): void {
    this.#socket.destroy();
  }

  #end(error?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket.destroy();
    this.#events.closed(error);
  }

  #receive(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    if (this.#received.length > longest) this.#end(new Error('it sent too much'));
    if (!this.#isOpen) this.#readHead();
    if (this.#isOpen) while (!this.#isOver && this.#readFrame());
  }

  #readHead(): void {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = this.#received.toString('latin1', 0, end);
    this.#received = this.#received.subarray(end + 4);
    if (!head.startsWith('HTTP/1.1 101 ')) {
      this.#end(new Error('it refused the connection'));
      return;
    }
    this.#isOpen = true;
    this.#events.opened();
  }

  /** False if no frame is complete. Node's inspector never splits a message, and masks nothing. */
  #readFrame(): boolean {
    const bytes = this.#received;
    if (bytes.length < 2) return false;
    const short = bytes[1]! & 0x7f;
    const start = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (bytes.length < start) return false;
    const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
    if (bytes.length < start + length) return false;
    this.#received = bytes.subarray(start + length);
    const opcode = bytes[0]! & 0x0f;
    if (opcode === opcodes.close) this.#end();
    else if (opcode === opcodes.text) this.#events.message(bytes.toString('utf8', start, start + length));
    return true;
  }
}
