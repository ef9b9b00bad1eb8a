// Asks a probe as kubelet does: one request on a connection of its own.
import { request } from 'node:http';

export interface Probed {
  code: number | undefined;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
}

export function probe(port: number, path: string, method = 'GET'): Promise<Probed> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => (text += part));
      response.on('end', () => resolve({ code: response.statusCode, headers: response.headers, text }));
    });
    asked.on('error', reject).end();
  });
}
