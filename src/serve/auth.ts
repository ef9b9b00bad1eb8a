// Basic authentication: https://www.rfc-editor.org/rfc/rfc7617
import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { Credentials } from '../config/serve.ts';
import { refuse } from './answers.ts';

/** Passes only requests with these credentials on to `next`. */
export function createGuard({ username, password }: Credentials, next: RequestListener): RequestListener {
  const expected = digest(`${username}:${password}`);
  return (request, response) => {
    const [, encoded] = /^basic +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const given = digest(Buffer.from(encoded ?? '', 'base64').toString());
    if (timingSafeEqual(given, expected)) {
      // Without this header, shared caches such as proxies may store the response.
      response.setHeader('Cache-Control', 'private, max-age=0');
      return next(request, response);
    }
    refuse(response, 401, { 'WWW-Authenticate': 'Basic realm="nsv", charset="UTF-8"' });
  };
}

/** Hashes have a fixed length, so the time of the comparison reveals nothing about the credentials. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
