// Basic authentication: https://www.rfc-editor.org/rfc/rfc7617
import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { Credentials } from '../config/serve.ts';
import { refuse } from './answers.ts';

/** Lets nobody through to `next` without these credentials. */
export function createGuard({ username, password }: Credentials, next: RequestListener): RequestListener {
  const expected = digest(`${username}:${password}`);
  return (request, response) => {
    const [, encoded] = /^basic +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const given = digest(Buffer.from(encoded ?? '', 'base64').toString());
    if (timingSafeEqual(given, expected)) {
      // By default anybody may keep answers, such as a proxy that others share.
      response.setHeader('Cache-Control', 'private, max-age=0');
      return next(request, response);
    }
    refuse(response, 401, { 'WWW-Authenticate': 'Basic realm="nsv", charset="UTF-8"' });
  };
}

/** Of one length, whatever is given: neither it nor the first difference can be told from the time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
