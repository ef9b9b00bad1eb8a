// Listens, and dies before it could accept a connection.
import { createServer } from 'node:http';
import { answer } from './hello.mjs';

createServer(answer).listen(process.env.PORT, () => {
  throw new Error('this version dies as soon as it listens');
});
