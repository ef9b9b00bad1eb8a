// Probes of an app: what nsv asks its processes, how often, and when it believes the answers. The names are those of
// Kubernetes where these are short enough; its own are read too.
import { renderDuration } from '../../shared/units.ts';
import { BadValue, duration, durationIf, integer, type JsonSchema, type Parser, taking } from './parsers.ts';

/** Durations in milliseconds. */
export interface ProbeRules {
  /** From the beginning of one probe to that of the next. */
  interval: number;
  timeout: number;
  /** Failures in a row after which the process counts as failing. */
  failures: number;
  /** Successes in a row after which it counts as good again. */
  successes: number;
  initialDelay: number;
}

/** Has exactly one of `http`, `tcp` and `exec`. */
export interface Probe extends ProbeRules {
  /** `http://:3000/health`, `https://...`, or `http://unix:/run/app.sock:/health`. */
  http?: string;
  /** `:3000`, `127.0.0.1:3000`, or the path of a Unix socket. */
  tcp?: string;
  /** A shell command. */
  exec?: string;
}

/** Where an HTTP or TCP probe goes. */
export interface ProbePlace {
  scheme: 'http' | 'https' | 'tcp';
  /** Undefined for this machine. */
  host: string | undefined;
  port: number | undefined;
  /** The path of a Unix socket, instead of host and port. */
  socket: string | undefined;
  /** What is requested. */
  path: string;
}

/** Those of Kubernetes. */
export const probeDefaults: ProbeRules = {
  interval: 10_000,
  timeout: 1_000,
  failures: 3,
  successes: 1,
  initialDelay: 0,
};

/** Milliseconds. A shorter interval is load, not care. */
const shortestInterval = 100;
const mostInARow = 1_000;

/** Seconds, as Kubernetes has them. */
const seconds: Parser<number> = (input) => integer(0, 86_400)(input) * 1_000;

const intervalOf = durationIf((ms) => ms >= shortestInterval, `at least ${shortestInterval}ms`);
const timeoutOf = durationIf((ms) => ms > 0, 'longer than 0');

export const probeRules: {
  readonly [K in keyof ProbeRules]: { parse: Parser<number>; also: Record<string, Parser<number>> };
} = {
  interval: { parse: intervalOf, also: { periodSeconds: (input) => intervalOf(seconds(input)) } },
  timeout: { parse: timeoutOf, also: { timeoutSeconds: (input) => timeoutOf(seconds(input)) } },
  failures: { parse: integer(1, mostInARow), also: { failureThreshold: integer(1, mostInARow) } },
  successes: { parse: integer(1, mostInARow), also: { successThreshold: integer(1, mostInARow) } },
  initialDelay: { parse: duration, also: { initial_delay: duration, initialDelaySeconds: seconds } },
};

const time: JsonSchema = { type: ['number', 'string'] };
const count: JsonSchema = { type: 'integer', minimum: 1 };

export const probe: Parser<Probe> = taking(
  {
    anyOf: [
      { type: 'string' },
      {
        type: 'object',
        properties: {
          ...{ http: { type: 'string' }, tcp: { type: ['string', 'integer'] }, exec: { type: 'string' } },
          ...{
            interval: time,
            timeout: time,
            failures: count,
            successes: count,
            initialDelay: time,
            initial_delay: time,
          },
          ...{ periodSeconds: count, timeoutSeconds: count, failureThreshold: count, successThreshold: count },
          initialDelaySeconds: { type: 'integer', minimum: 0 },
        },
      },
    ],
  },
  (input) => {
    if (typeof input === 'string') return { ...ofWord(input), ...probeDefaults };
    if (typeof input !== 'object' || input === null || Array.isArray(input)) throw unlikeAProbe(input);
    return ofObject(input as Record<string, unknown>);
  },
);

function unlikeAProbe(input: unknown): BadValue {
  return new BadValue(`must be like http://:3000/health, tcp://:3000 or exec:command, not ${JSON.stringify(input)}`);
}

function ofWord(word: string): Pick<Probe, 'http' | 'tcp' | 'exec'> {
  const [, kind, rest = ''] = /^(https?:\/\/|tcp:\/\/|exec:)(.*)$/s.exec(word.trim()) ?? [];
  if (kind === 'exec:') return { exec: commandOf(rest) };
  if (kind === 'tcp://') return { tcp: tcpOf(rest) };
  if (kind === undefined) throw unlikeAProbe(word);
  return { http: httpOf(word.trim()) };
}

function ofObject({ http, tcp, exec, ...given }: Record<string, unknown>): Probe {
  const targets = [
    ...(http === undefined ? [] : [{ http: httpOf(http) }]),
    ...(tcp === undefined ? [] : [{ tcp: tcpOf(tcp) }]),
    ...(exec === undefined ? [] : [{ exec: commandOf(exec) }]),
  ];
  const [target] = targets;
  if (!target || targets.length > 1) throw new BadValue('must have one of "http", "tcp" and "exec"');
  const rules: ProbeRules = { ...probeDefaults };
  for (const [key, value] of Object.entries(given)) {
    const [name, parse] = ruleOf(key);
    if (value !== undefined) rules[name] = within(key, () => parse(value));
  }
  return { ...target, ...rules };
}

function ruleOf(key: string): [name: keyof ProbeRules, parse: Parser<number>] {
  for (const [name, { parse, also }] of Object.entries(probeRules)) {
    if (key === name) return [name as keyof ProbeRules, parse];
    if (Object.hasOwn(also, key)) return [name as keyof ProbeRules, also[key]!];
  }
  throw new BadValue(`has no key "${key}": the keys are http, tcp, exec, ${Object.keys(probeRules).join(', ')}`);
}

function within<T>(key: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof BadValue ? new BadValue(`has an invalid "${key}": it ${error.message}`) : error;
  }
}

function commandOf(input: unknown): string {
  if (typeof input === 'string' && input.trim() !== '' && !input.includes('\0')) return input.trim();
  throw new BadValue(`must have a command behind exec, not ${JSON.stringify(input)}`);
}

function httpOf(input: unknown): string {
  const word = String(input);
  const url = /^https?:\/\//.test(word) ? word : `http://${word}`;
  if (parseHttp(url)) return url;
  throw new BadValue(`must be a URL such as http://:3000/health, not ${JSON.stringify(input)}`);
}

function tcpOf(input: unknown): string {
  const word = String(input).replace(/^tcp:\/\//, '');
  const place = /^\d+$/.test(word) ? `:${word}` : word;
  if (parseTcp(place)) return place;
  throw new BadValue(`must be a port such as tcp://:3000, not ${JSON.stringify(input)}`);
}

/** Undefined for a command. */
export function probePlaceOf({ http, tcp }: Pick<Probe, 'http' | 'tcp'>): ProbePlace | undefined {
  if (http !== undefined) return parseHttp(http);
  return tcp === undefined ? undefined : parseTcp(tcp);
}

/** The probe as on the command line. */
export function probeTarget({ http, tcp, exec }: Pick<Probe, 'http' | 'tcp' | 'exec'>): string {
  return http ?? (tcp === undefined ? `exec:${exec}` : `tcp://${tcp}`);
}

/** With what differs from the defaults. */
export function probeText(probe: Probe): string {
  const { interval, timeout, failures, successes, initialDelay } = probe;
  return [
    `${probeTarget(probe)} every ${renderDuration(interval)}`,
    ...(timeout === probeDefaults.timeout ? [] : [`timeout ${renderDuration(timeout)}`]),
    ...(failures === probeDefaults.failures ? [] : [`failures ${failures}`]),
    ...(successes === probeDefaults.successes ? [] : [`successes ${successes}`]),
    ...(initialDelay === 0 ? [] : [`initial delay ${renderDuration(initialDelay)}`]),
  ].join(', ');
}

const unix = /^(https?):\/\/unix:(\/[^:]+)(?::(\/.*)?)?$/;
const url = /^(https?):\/\/(\[[\da-f:.]+\]|[\w.-]*)(?::(\d{1,5}))?(\/.*)?$/i;

/** The path goes into a request as it is, so it must not be able to end the line. */
function parseHttp(text: string): ProbePlace | undefined {
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes('#')) return undefined;
  const [, ownScheme, socket, ownPath = '/'] = unix.exec(text) ?? [];
  if (ownScheme) return { scheme: ownScheme as 'http', host: undefined, port: undefined, socket, path: ownPath };
  const [, scheme, host = '', port, path = '/'] = url.exec(text) ?? [];
  if (!scheme || !isPort(port)) return undefined;
  const own = scheme.toLowerCase() as 'http' | 'https';
  const usual = own === 'https' ? 443 : 80;
  return {
    scheme: own,
    host: bare(host),
    port: port === undefined && host !== '' ? usual : numberOf(port),
    socket: undefined,
    path,
  };
}

function parseTcp(text: string): ProbePlace | undefined {
  if (/^(unix:)?\/[^\0]+$/.test(text)) return { ...tcp, socket: text.replace(/^unix:/, '') };
  const [, host = '', port] = /^(\[[\da-f:.]+\]|[\w.-]*):(\d{1,5})$/i.exec(text) ?? [];
  return port !== undefined && isPort(port) ? { ...tcp, host: bare(host), port: numberOf(port) } : undefined;
}

const tcp: ProbePlace = { scheme: 'tcp', host: undefined, port: undefined, socket: undefined, path: '' };

function bare(host: string): string | undefined {
  return host.replace(/^\[|\]$/g, '') || undefined;
}

function isPort(text: string | undefined): boolean {
  return text === undefined || (Number(text) > 0 && Number(text) <= 65_535);
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
