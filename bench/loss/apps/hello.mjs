// What every app of these benchmarks answers: "hello <path> <bytes of the body>", 50 ms after the request was whole.
// The client knows both, so an answer to another request, or to half of one, is found out.
export const delay = Number(process.env.DELAY ?? 50);

export function answer(request, response) {
  let bytes = 0;
  request.on('data', (chunk) => {
    bytes += chunk.length;
  });
  request.on('end', () => setTimeout(() => respond(request.url, bytes, response), delay));
}

function respond(path, bytes, response) {
  misbehave(path);
  response.end(`hello ${path} ${bytes}\n`);
}

/** What the path asks for: `/throw` an uncaught exception, `/block/3000` a loop that takes 3 s. */
export function misbehave(path) {
  if (path.startsWith('/throw')) throw new Error(`thrown for ${path}`);
  if (path.startsWith('/block')) block(Number(path.split('/')[2]));
}

function block(milliseconds) {
  const end = Date.now() + milliseconds;
  while (Date.now() < end);
}
