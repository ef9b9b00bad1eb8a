import express from 'express';
import { delay, misbehave } from './hello.mjs';

const app = express();
app.get('/{*path}', ({ path }, response) => {
  // In a timer, where Express does not catch what is thrown.
  setTimeout(() => {
    misbehave(path);
    response.send(`hello ${path} 0\n`);
  }, delay);
});
app.listen(process.env.PORT);
