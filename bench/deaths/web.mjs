// The app of bench/loss, which prints a numbered line all the while.
import { createServer } from 'node:http';
import { answer } from '../loss/apps/hello.mjs';

let printed = 0;
setInterval(() => {
  printed += 1;
  console.log(`line ${process.pid} ${printed}`);
}, 10).unref();
createServer(answer).listen(process.argv[2] ?? process.env.PORT);
