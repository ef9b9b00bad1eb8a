// Answers; `served` is called with each request.
import { createServer } from 'node:http';

export let served = () => {};

export function onServed(callback) {
  served = callback;
}

createServer((_request, response) => {
  served();
  response.end('hello\n');
}).listen(Number(process.env.PORT));
