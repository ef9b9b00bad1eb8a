import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** The files of a key and a certificate for localhost. */
export function certificate(directory: string): [key: string, cert: string] {
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const words = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost';
  execFileSync('openssl', [...words.split(' '), '-keyout', key, '-out', cert], { stdio: 'ignore' });
  return [key, cert];
}
