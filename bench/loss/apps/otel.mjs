// Started with OpenTelemetry's register, whose handler of the stop signal reports the last spans and never exits.
import { createRequire } from 'node:module';
import { answer } from './hello.mjs';

// What is imported, its instrumentation does not see.
const { createServer } = createRequire(import.meta.url)('node:http');
createServer(answer).listen(process.env.PORT);
