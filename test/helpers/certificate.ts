import { join } from 'node:path';
import { outputOf } from './program.ts';

/** The files of a key and a certificate for localhost. */
export async function certificate(directory: string): Promise<[key: string, cert: string]> {
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const words = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost';
  await outputOf('openssl', [...words.split(' '), '-keyout', key, '-out', cert]);
  return [key, cert];
}
