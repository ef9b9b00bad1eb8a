// Serves, and is left alone.
import { createServer } from 'node:http';

createServer((_, response) => response.end('here\n')).listen(0, '127.0.0.1');
