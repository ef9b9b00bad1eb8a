// Where a Redis is, for people: never with its password.

const usualPort = 6379;

interface Node {
  url?: string;
  path?: string;
  host?: string;
  port?: number | string;
}

interface Known extends Node {
  sentinels?: readonly (Node | string)[];
  /** Of a client of node-redis. */
  socket?: Node;
}

/** `connection`: a URL, options, or a client. */
export function addressOf(connection: string | object): string {
  if (typeof connection === 'string') return ofNode(connection);
  // A client knows its options; that of a cluster knows the nodes that it began with.
  const { options, startupNodes } = connection as { options?: Known; startupNodes?: readonly (Node | string)[] };
  const known = options ?? (connection as Known);
  const several = startupNodes ?? known.sentinels;
  return several ? several.map(ofNode).join(', ') : ofNode(known.socket ?? known);
}

function ofNode(node: Node | string | number): string {
  if (typeof node === 'number') return ofNode({ port: node });
  if (typeof node === 'string') return ofUrl(node);
  if (node.path) return node.path;
  if (node.url) return ofUrl(node.url);
  return `${node.host ?? '127.0.0.1'}:${node.port ?? usualPort}`;
}

/** As ioredis reads it: a port, the path of a socket, or a URL, whose protocol may be missing. */
function ofUrl(text: string): string {
  if (/^\d+$/.test(text)) return ofNode({ port: text });
  if (text.startsWith('/')) return text.split('?')[0]!;
  try {
    const { hostname, port } = new URL(text.includes('://') ? text : `redis://${text}`);
    return `${hostname}:${port || usualPort}`;
  } catch {
    return 'an address that is not a URL';
  }
}
