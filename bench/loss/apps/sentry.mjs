// Sentry's own handler of uncaught errors: it sends a report, and exits when that is answered, after 2 s at the latest.
// The report is answered here, as quickly as a server far away would.
import { createServer } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import * as Sentry from '@sentry/node';
import { answer } from './hello.mjs';

const roundTrip = 200;

Sentry.init({
  dsn: 'http://key@127.0.0.1/1',
  transport: (options) =>
    Sentry.createTransport(options, async () => {
      await after(roundTrip);
      return { statusCode: 200 };
    }),
});
createServer(answer).listen(process.env.PORT);
