import { setTimeout as after } from 'node:timers/promises';
import express from 'express';
import { delay } from './hello.mjs';

const app = express();
app.get('/{*path}', async (request, response) => {
  await after(delay);
  response.send(`hello ${request.path} 0\n`);
});
app.listen(process.env.PORT);
