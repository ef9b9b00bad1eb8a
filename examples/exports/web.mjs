// Takes orders, and answers at once: the work is done elsewhere.
import { once } from 'node:events';
import express from 'express';
import { orders } from './queue.mjs';

const page = `<!doctype html>
<title>Exports</title>
<form method="post" action="/orders"><input name="rows" value="5"> rows <button>Export</button></form>`;

const app = express().use(express.urlencoded());

app.get('/', (_request, response) => response.type('html').send(page));

app.post('/orders', async (request, response) => {
  const rows = Number(request.body?.rows ?? 5);
  if (!(rows > 0 && rows <= 1000)) return response.status(400).send('1 to 1000 rows, please\n');
  const { id } = await orders.add({ rows });
  response.status(202).location(`/orders/${id}`).json({ id });
});

app.get('/orders/:id', async (request, response) => {
  const task = await orders.get(request.params.id);
  if (!task) return response.status(404).send('no such order\n');
  const { state, progress, result, error } = task;
  response.json({ state, progress, result, error: error?.split('\n')[0] });
});

/** For those who would rather wait. */
app.get('/orders/:id/result', async (request, response) => {
  const signal = AbortSignal.any([AbortSignal.timeout(30_000), closed(response)]);
  response.json(await orders.waitFor(request.params.id, { signal }));
});

app.listen(process.env.PORT ?? 3000);

function closed(response) {
  const controller = new AbortController();
  once(response, 'close').then(() => controller.abort());
  return controller.signal;
}
