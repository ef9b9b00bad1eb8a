// An ordinary web app: it knows nothing of nsv.
import { createServer } from 'node:http';

const port = process.argv[2] ?? process.env.PORT ?? 3000;

createServer((_request, response) => {
  response.end(`hello from ${process.pid}\n`);
}).listen(port, () => console.log(`listening on ${port}`));
