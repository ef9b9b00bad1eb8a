// Runs the calls of one connection, and sends their replies and progress.
import { realClock } from '../shared/clock.ts';
import { parseCaller } from './journal/caller.ts';
import type { Limits } from './limits.ts';
import type { Line, Progress, Report } from './protocol.ts';
import {
  badRequest,
  parseRequest,
  type Route,
  type RpcOutcome,
  type RpcReply,
  type RpcRequest,
  reply,
  rpcCodes,
} from './rpc.ts';

export class Dispatcher {
  readonly #route: Route;
  readonly #limits: Limits;
  readonly #line: Line;
  #calls = 0;

  constructor(route: Route, limits: Limits, line: Line) {
    this.#route = route;
    this.#limits = limits;
    this.#line = line;
  }

  /** Resolves to undefined if no reply is due, as for notifications. */
  async answer(message: unknown): Promise<RpcReply | RpcReply[] | undefined> {
    if (!Array.isArray(message)) return this.#answerOne(message);
    const { calls } = this.#limits;
    // Even a short message can hold millions of elements, and each would get a reply of a hundred bytes.
    if (message.length === 0 || message.length > calls) return invalid(`a batch has 1 to ${calls} requests`);
    const replies = await Promise.all(message.map((item) => this.#answerOne(item)));
    const due = replies.filter((item) => item !== undefined);
    return due.length > 0 ? due : undefined;
  }

  async #answerOne(message: unknown): Promise<RpcReply | undefined> {
    const request = parseRequest(message);
    if (!request) return invalid('it is not a JSON-RPC 2.0 request');
    const outcome = await this.#perform(request);
    return request.id === undefined ? undefined : reply(request.id, outcome);
  }

  async #perform({ id, method, params, caller }: RpcRequest): Promise<RpcOutcome> {
    if (this.#calls >= this.#limits.calls) {
      return { error: badRequest(rpcCodes.application, `${this.#calls} calls are under way on this connection`) };
    }
    let text = '';
    const tell = (notification: 'progress' | 'remark', news: string) => {
      if (id !== undefined && id !== null) this.#line.tell(notification, { id, text: news } satisfies Progress);
    };
    const stopBeating = every(this.#limits.heartbeat, () => tell('progress', text));
    this.#calls += 1;
    try {
      const report: Report = (news, isLasting = false) => {
        if (!isLasting) text = news;
        tell(isLasting ? 'remark' : 'progress', news);
      };
      return await this.#route(method, params, report, this.#line, parseCaller(caller));
    } finally {
      this.#calls -= 1;
      stopBeating();
    }
  }
}

function invalid(detail: string): RpcReply {
  return reply(null, { error: badRequest(rpcCodes.invalidRequest, detail) });
}

function every(ms: number, run: () => void): () => void {
  const again = () => {
    run();
    cancel = realClock.after(ms, again);
  };
  let cancel = realClock.after(ms, again);
  return () => cancel();
}
