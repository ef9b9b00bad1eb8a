import Fastify from 'fastify';
import { delay, misbehave } from './hello.mjs';

const app = Fastify();
app.get('/*', ({ url }, reply) => {
  // In a timer, where Fastify does not catch what is thrown.
  setTimeout(() => {
    misbehave(url);
    reply.send(`hello ${url} 0\n`);
  }, delay);
});
await app.listen({ port: Number(process.env.PORT), host: '0.0.0.0' });
