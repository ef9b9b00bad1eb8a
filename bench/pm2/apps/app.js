require('node:http')
  .createServer((_, response) => response.end(String(process.pid)))
  .listen(0);
