// JSON-RPC 2.0 for both ends: https://www.jsonrpc.org/specification
import { type Failure, failure, type NsvError } from '../shared/errors.ts';
import type { CallerView } from './journal/event-views.ts';
import type { CallStream, Report } from './protocol.ts';

export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** An error of the catalogue in shared/errors.ts, sent as `data`. */
  application: -32000,
} as const;

export interface RpcError {
  code: (typeof rpcCodes)[keyof typeof rpcCodes];
  message: string;
  data: Failure;
}

export type RpcId = string | number | null;

/** Without an id it is a notification, which gets no reply. */
export interface RpcRequest {
  id?: RpcId;
  method: string;
  params?: unknown;
  /** A member of nsv: who asks. Daemons that do not know it ignore it. */
  caller?: unknown;
}

export type RpcOutcome = { result: unknown } | { error: RpcError };
export type RpcReply = { jsonrpc: '2.0'; id: RpcId } & RpcOutcome;
export type RpcNotification = { jsonrpc: '2.0'; method: string; params: object };

/** Finds the method, checks the parameters and runs it. Never rejects. */
export type Route = (
  method: string,
  params: unknown,
  report: Report,
  line: CallStream,
  caller: CallerView,
) => Promise<RpcOutcome>;

export function rpcError(code: RpcError['code'], failure: NsvError): RpcError {
  return { code, message: failure.message, data: failure.toJSON() };
}

/** The error for a message that is not a JSON-RPC request, or not acceptable now. */
export function badRequest(code: RpcError['code'], detail: string): RpcError {
  return rpcError(code, failure('BAD_REQUEST', { detail }));
}

/** Returns undefined if the input is not a JSON-RPC request. */
export function parseRequest(input: unknown): RpcRequest | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const { jsonrpc, id, method, params, caller } = input as Record<string, unknown>;
  if (jsonrpc !== '2.0' || typeof method !== 'string') return undefined;
  if (params !== undefined && (typeof params !== 'object' || params === null)) return undefined;
  if (id === undefined) return { method, params, caller };
  return isId(id) ? { id, method, params, caller } : undefined;
}

function isId(value: unknown): value is RpcId {
  return typeof value === 'string' || typeof value === 'number' || value === null;
}

export function reply(id: RpcId, outcome: RpcOutcome): RpcReply {
  return { jsonrpc: '2.0', id, ...outcome };
}

export function notification(method: string, params: object): RpcNotification {
  return { jsonrpc: '2.0', method, params };
}
