// What a scenario plays on: a temporary folder with a release that can be exchanged, an address, a certificate.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { freePort } from '../measure.mjs';
import { startCollector } from './collector.mjs';
import { createDelayLine } from './delay-line.mjs';
import { startNginx } from './nginx.mjs';
import { packagesFor } from './packages.mjs';

const allApps = fileURLToPath(new URL('apps', import.meta.url));

/**
 * `tls`: with a certificate. `unix`: on a socket in the folder instead of a port. `delay`: so many milliseconds away from its
 * clients. `nginx`: behind nginx, which is its client then. `reports`: with a collector of OpenTelemetry.
 */
export async function createStage({ app, tls = false, unix = false, delay = 0, nginx = false, reports = false }) {
  const folder = mkdtempSync(join(tmpdir(), 'nsv-loss-'));
  const apps = appsFor(app, folder);
  const script = join(folder, 'release.mjs');
  const release = (name) => writeFileSync(script, `import '${pathToFileURL(join(apps, `${name}.mjs`))}';\n`);
  release(app);
  const address = unix ? { path: join(folder, 'web.sock') } : { host: '127.0.0.1', port: await freePort() };
  const certificate = tls ? createCertificate(folder) : {};
  const line = delay > 0 ? await createDelayLine(address, delay) : undefined;
  const front = nginx ? await startNginx(folder, line?.target ?? address) : undefined;
  const collector = reports ? await startCollector() : undefined;
  const target = front?.target ?? line?.target ?? address;
  return {
    folder,
    script,
    release,
    target: { ...target, ...(tls && { ca: readFileSync(certificate.TLS_CERT) }) },
    env: { PORT: String(address.path ?? address.port), ...certificate, ...collector?.env },
    async listened() {
      await listened(address);
      if (front) await listened(front.target);
    },
    dispose() {
      front?.close();
      line?.close();
      collector?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** An app finds its packages beside it. */
function appsFor(app, folder) {
  const packages = packagesFor(app);
  if (!packages) return allApps;
  const apps = join(folder, 'apps');
  cpSync(allApps, apps, { recursive: true });
  symlinkSync(packages, join(folder, 'node_modules'));
  return apps;
}

function createCertificate(folder) {
  const files = { TLS_KEY: join(folder, 'key.pem'), TLS_CERT: join(folder, 'cert.pem') };
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const output = ['-keyout', files.TLS_KEY, '-out', files.TLS_CERT];
  execFileSync('openssl', ['req', ...kind, ...name, ...output], { stdio: 'ignore' });
  return files;
}

/** What is up for a second without listening counts as ready; on a busy machine a framework takes longer to load. */
export async function listened(address) {
  const end = Date.now() + 30_000;
  while (!(await isListening(address))) {
    if (Date.now() > end) throw new Error('nobody listens 30 s after the start');
    await after(20);
  }
}

function isListening(address) {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
