// Listens, accepts, and dies with requests in flight.
import { createServer } from 'node:http';
import { answer } from './hello.mjs';

createServer(answer).listen(process.env.PORT, () => {
  setTimeout(() => {
    throw new Error('this version dies soon');
  }, 100);
});
