// What examples/container/ says fits together, and what can be run of it without Docker runs.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { Registry } from '../../../src/daemon/apps/registry.ts';
import { type HealthServer, startHealth } from '../../../src/daemon/control/health.ts';
import { createHealthReport } from '../../../src/daemon/control/health-report.ts';
import { parseDuration } from '../../../src/shared/units.ts';
import { FakeWorld } from '../../helpers/fake-host.ts';
import { root } from '../../helpers/nsv.ts';

const folder = join(root, 'examples', 'container');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

const dockerfile = read('Dockerfile');
const instructions = (word: string) =>
  [...dockerfile.matchAll(new RegExp(`^${word} (.*)$`, 'gm'))].map(([, rest]) => rest!);
const list = (word: string) => JSON.parse(instructions(word).at(-1)!) as string[];
const command = list('CMD');
const optionOf = (name: string) => command[command.indexOf(name) + 1]!;
const healthPort = optionOf('--health-port');
const stopTimeout = parseDuration(optionOf('--stop-timeout'))!;
const home = /NSV_HOME=(\S+)/.exec(dockerfile)![1]!;

const service = parse(read('compose.yaml')).services.hello;
const documents = parseAllDocuments(read('kubernetes.yaml'));
const [deployment, inCluster] = documents.map((document) => document.toJS());
const { template } = deployment.spec;
const [container] = template.spec.containers;

describe('the Dockerfile', () => {
  it('copies only files that exist', () => {
    const sources = instructions('COPY').flatMap((line) =>
      line.startsWith('--from') ? [] : line.split(' ').slice(0, -1),
    );
    expect(sources).toContain('bin');
    expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([]);
  });

  it('copies the files of the package and what builds them', () => {
    const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const copied = instructions('COPY').join(' ').split(' ');
    for (const name of [
      'package.json',
      'package-lock.json',
      'scripts',
      'src',
      ...files.filter((file: string) => file !== 'dist'),
    ]) {
      expect(copied).toContain(name);
    }
  });

  it('runs nsv itself, not a shell, and not as root', () => {
    expect(list('ENTRYPOINT')).toEqual(['nsv', 'run']);
    expect(existsSync(join(root, 'examples', command[0]!))).toBe(true);
    expect(instructions('USER')).toEqual(['node']);
    expect(instructions('EXPOSE')).toEqual([`3000 ${healthPort}`]);
  });

  it('puts the home of nsv in a directory that is writable in every container', () => {
    expect(dirname(home)).toBe('/dev/shm');
  });
});

describe('the compose file', () => {
  it('builds the image of the Dockerfile', () => {
    const { context, dockerfile: file } = service.build;
    expect(resolve(folder, context)).toBe(root);
    expect(resolve(folder, context, file)).toBe(join(folder, 'Dockerfile'));
  });

  it('allows more time for a stop than nsv takes, and needs no writable image', () => {
    expect(parseDuration(service.stop_grace_period)).toBeGreaterThan(stopTimeout);
    expect(service.read_only).toBe(true);
  });
});

describe('the health check of the compose file', () => {
  let server: HealthServer;
  let isStopping: boolean;

  beforeEach(async () => {
    const registry = new Registry();
    registry.add(await new FakeWorld().running());
    isStopping = false;
    server = await startHealth({ port: 0, look: createHealthReport(registry, { isStopping: () => isStopping }) });
  });
  afterEach(() => server.close());

  function check(port: number): Promise<number | null> {
    const [kind, , ...words] = service.healthcheck.test as string[];
    expect(kind).toBe('CMD');
    const own = words.map((word) => word.replace(`:${healthPort}/`, `:${port}/`));
    expect(own).not.toEqual(words);
    const child = spawn(process.execPath, own, { stdio: 'inherit' });
    return new Promise((ended) => child.on('exit', ended));
  }

  it('exits with 0 when nsv is ready, and with 1 when it is not ready or not running', async () => {
    expect(await check(server.port)).toBe(0);
    isStopping = true;
    expect(await check(server.port)).toBe(1);
    await server.close();
    expect(await check(server.port)).toBe(1);
  });
});

describe('the Kubernetes manifest', () => {
  it('is valid YAML, and runs the same command as the image', () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    expect(container.args).toEqual(command);
    expect(container.image).toBe(service.image);
  });

  it('probes existing paths and ports', () => {
    const ports = Object.fromEntries(
      container.ports.map(({ name, containerPort }: { name: string; containerPort: number }) => [name, containerPort]),
    );
    expect(ports).toEqual({ http: 3000, probes: Number(healthPort) });
    expect(container.livenessProbe.httpGet).toEqual({ path: '/live', port: 'probes' });
    expect(container.readinessProbe.httpGet).toEqual({ path: '/ready', port: 'probes' });
    expect(container.startupProbe.httpGet).toEqual({ path: '/startup', port: 'probes' });
    expect(inCluster.spec.ports[0].targetPort).toBe('http');
    expect(inCluster.spec.selector).toEqual(template.metadata.labels);
    expect(deployment.spec.selector.matchLabels).toEqual(template.metadata.labels);
  });

  it('gives the pod more time than its hook and nsv take', () => {
    const [program, seconds] = container.lifecycle.preStop.exec.command;
    expect(program).toBe('sleep');
    expect(template.spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(Number(seconds) * 1_000 + stopTimeout);
  });

  it('needs no root and no writable image', () => {
    expect(template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
  });
});
