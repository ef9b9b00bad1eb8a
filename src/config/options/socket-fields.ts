// Where the instances of an app listen: rows of the option table.
import type { Field } from './fields.ts';
import { integer, listenAddress, listOf, oneOf, optional } from './parsers.ts';

const field = <T>(row: Field<T>): Field<T> => row;

export const socketFields = {
  listen: field({
    flag: '--listen <address...>',
    doc: 'port, host:port or path that nsv binds and passes on (LISTEN_FDS; in Node: the "server" message)',
    parse: listOf(listenAddress),
    default: [],
  }),
  listenEach: field({
    flag: '--listen-each <port>',
    doc: 'give each instance a port of its own instead: this one, the next, and so on',
    parse: optional(integer(1, 65_535)),
    default: undefined,
  }),
  // How the instances of a Node app share their listening sockets: DESIGN.md, 3.
  schedule: field({
    flag: '--schedule <way>',
    doc: 'how instances share sockets: kernel, reuseport, rr, or sticky for one process per client',
    parse: oneOf('kernel', 'reuseport', 'rr', 'sticky'),
    default: 'kernel',
  }),
};
