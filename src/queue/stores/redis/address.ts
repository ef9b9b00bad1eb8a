// Where a Redis is, for people.

const usualPort = 6379;
const sentinelPort = 26379;

interface Node {
  url?: string;
  path?: string;
  host?: string;
  port?: number | string;
  db?: number | string;
}

type NodeLike = Node | string | number;

interface Known extends Node {
  sentinels?: readonly NodeLike[];
  /** Of the primary, for its sentinels. */
  name?: string;
}

/** Where a Redis is, for people: never with its password. `connection`: a URL, options, or a client. */
export function redisAddressOf(connection: string | object): string {
  if (typeof connection === 'string') return ofNode(connection);
  // A client knows its options; that of a cluster knows the nodes that it began with.
  const { options, startupNodes } = connection as { options?: Known; startupNodes?: readonly NodeLike[] };
  if (startupNodes) return startupNodes.map((node) => ofNode(node)).join(', ');
  const known = options ?? (connection as Known);
  const { sentinels, name, db } = known;
  if (!sentinels) return ofNode(known);
  const all = sentinels.map((node) => ofNode(node, sentinelPort)).join(', ');
  return `${all}${name ? ` (${name})` : ''}${ofDatabase(db)}`;
}

function ofNode(node: NodeLike, port = usualPort): string {
  if (typeof node === 'number') return ofNode({ port: node });
  if (typeof node === 'string') return ofUrl(node, port);
  if (node.path) return `${node.path}${ofDatabase(node.db)}`;
  if (node.url) return ofUrl(node.url, port, node.db);
  return `${node.host ?? '127.0.0.1'}:${node.port ?? port}${ofDatabase(node.db)}`;
}

/** As ioredis reads it: a port, the path of a socket, or a URL, whose protocol may be missing. What it says goes before `database`. */
function ofUrl(text: string, usual: number, database?: number | string): string {
  if (/^\d+$/.test(text)) return ofNode({ port: text });
  const [file = '', query] = text.split('?');
  const asked = new URLSearchParams(query).get('db') ?? database;
  if (text.startsWith('/')) return `${file}${ofDatabase(asked)}`;
  try {
    const { hostname, port, pathname } = new URL(text.includes('://') ? text : `redis://${text}`);
    return `${hostname}:${port || usual}${ofDatabase(pathname.slice(1) || asked)}`;
  } catch {
    return 'an address that is not a URL';
  }
}

/** Each database has queues of its own. */
function ofDatabase(number: number | string = 0): string {
  return Number(number) > 0 ? `/${Number(number)}` : '';
}
