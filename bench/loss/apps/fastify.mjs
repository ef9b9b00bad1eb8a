import { setTimeout as after } from 'node:timers/promises';
import Fastify from 'fastify';
import { delay } from './hello.mjs';

const app = Fastify();
app.get('/*', async (request) => {
  await after(delay);
  return `hello ${request.url} 0\n`;
});
await app.listen({ port: Number(process.env.PORT), host: '0.0.0.0' });
