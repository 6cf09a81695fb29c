import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DockerEngine, dockerCanRun, dockerEngine } from '../../../test/agents/docker-engine.ts';
import { importBase } from '../../../test/builders/base-image.ts';
import { type BuilderGround, builderGround } from '../../../test/builders/builder-ground.ts';
import { buildkitCanBeMade, buildkitMillis, loadBuildkit } from '../../../test/builders/buildkit-image.ts';
import { type RegistryWorld, registryWorld } from '../../../test/registry/registry-world.ts';
import { Engine } from '../../drivers/docker/engine.ts';

const treasure = 'treasure-of-the-machine';
const ofService = `ballast/${'a'.repeat(64)}:12345678`;

interface Machine {
  port: number;
  bridge: string;
  service: string;
}
const isPrivate = (address: string) =>
  new RegExp(`${address} is a private address; the owner of the cluster can allow it by --build-allowed-ranges`);
const proxied = (url: string) => `RUN curl -sS --fail-with-body --noproxy '' ${url} && cat /nothing`;
const refused = /RUN curl .* exited with code 7\./;
const direct = (url: string) => `RUN curl -sS --fail-with-body --noproxy '*' ${url}`;

/** A line of a Dockerfile, and what its build says. */
const attempts: [what: string, line: string | ((at: Machine) => string), told: RegExp][] = [
  ['the metadata of a cloud, by ADD', 'ADD http://169.254.169.254/latest/meta-data /x', isPrivate('169.254.169.254')],
  [
    'the metadata of a cloud, by ADD and https',
    'ADD https://169.254.169.254/latest/meta-data /x',
    isPrivate('169.254.169.254'),
  ],
  ['the metadata of a cloud, by a command', proxied('http://169.254.169.254/'), isPrivate('169.254.169.254')],
  ['the metadata of a cloud, without the proxy', direct('http://169.254.169.254/'), refused],
  ['a server of the machine on its loopback', ({ port }) => direct(`http://127.0.0.1:${port}/`), refused],
  [
    'a server of the machine on its loopback, by ADD',
    ({ port }) => `ADD http://127.0.0.1:${port}/ /x`,
    /connection refused\. The only way out of a build is the proxy of its agent/,
  ],
  [
    'a server of the machine on its loopback, by the proxy',
    ({ port }) => proxied(`http://127.0.0.1:${port}/`),
    isPrivate('127.0.0.1'),
  ],
  ['a server of the machine on a bridge', ({ port, bridge }) => direct(`http://${bridge}:${port}/`), refused],
  [
    'a server of the machine on a bridge, by the proxy',
    ({ port, bridge }) => proxied(`http://${bridge}:${port}/`),
    isPrivate(String.raw`10\.213\.\d+\.1`),
  ],
  ['the socket of the engine', 'RUN curl -sS --unix-socket /var/run/docker.sock http://docker/version', refused],
  [
    'the socket of its own builder',
    'RUN curl -sS --http2-prior-knowledge --unix-socket /run/ballast/buildkitd.sock http://buildkit/',
    refused,
  ],
  [
    'a frontend of its own',
    '# syntax=evil.example/frontend:1',
    /the line "# syntax=" with the frontend evil\.example\/frontend:1, and builds have BuildKit's own alone: take the line out/,
  ],
  [
    'a command with all rights',
    'RUN --security=insecure id',
    /security\.insecure is not allowed\. Builds have no right to security\.insecure: take the option out/,
  ],
  [
    "a command with the machine's network",
    'RUN --network=host id',
    /network\.host is not allowed\. Builds have no right to network\.host: take the option out/,
  ],
  [
    'an image of a service',
    `COPY --from=${ofService} /bin /stolen`,
    /is an image of a service: builds begin with others/,
  ],
  [
    'an image of a service, by its id in the engine',
    ({ service }) => `COPY --from=127.0.0.1:3129/engine/${service}:latest /bin /stolen`,
    /The image 127\.0\.0\.1:3129\/engine\/\S+ cannot be had/,
  ],
];

describe.runIf(dockerCanRun() && buildkitCanBeMade())('the builder of an organization', () => {
  let engine: DockerEngine;
  let world: RegistryWorld;
  let ground: BuilderGround;
  let server: Server;
  let port: number;
  let service: string;

  beforeAll(async () => {
    engine = await dockerEngine({ bridged: true });
    await loadBuildkit(engine.socket);
    await importBase(engine.socket, 'machine:1', { programs: { 'usr/bin/curl': '/usr/bin/curl' } });
    await importBase(engine.socket, ofService);
    const { Id } = await new Engine(engine.socket).ask((docker) => docker.getImage(ofService).inspect());
    service = Id.slice('sha256:'.length);
    world = await registryWorld();
    ground = await builderGround(world, {}, engine.socket);
    server = createServer((_, answer) => answer.end(treasure));
    await once(server.listen(0, '0.0.0.0'), 'listening');
    port = (server.address() as AddressInfo).port;
  }, buildkitMillis);
  afterAll(async () => {
    server?.close();
    await ground?.close();
    await world?.close();
    await engine?.stop();
  });

  const build = (dockerfile: string, organizationId: string, at = ground) =>
    at.build({ Dockerfile: dockerfile }, { body: { builder: 'dockerfile', organizationId } });

  test.each(attempts)('does not reach %s', async (_, line, told) => {
    const reached = await fetch(`http://${engine.address}:${port}/`);
    expect(await reached.text()).toBe(treasure);
    const text = typeof line === 'string' ? line : line({ port, bridge: engine.address, service });
    const whole = text.startsWith('#') ? `${text}\nFROM machine:1\n` : `FROM machine:1\n${text}\n`;
    const { result, log, digest } = await build(whole, 'hostile');
    expect(result.outcome, log).toBe('failed');
    expect(result.message).toMatch(told);
    expect(digest).toBeUndefined();
    expect(log).not.toContain(treasure);
  });

  test('does not see the caches of another organization, and sees its own', async () => {
    const mount = 'RUN --mount=type=cache,id=shared,target=/cache';
    const filled = await build(`FROM machine:1\n${mount} echo ${treasure} > /cache/file\n`, 'victim');
    expect(filled.result, filled.log).toMatchObject({ outcome: 'done' });
    const read = `FROM machine:1\n${mount} cat /cache/file\n`;
    expect((await build(read, 'victim')).log).toContain(` ${treasure}\n`);
    const { result, log } = await build(read, 'hostile');
    expect(result.message).toMatch(/RUN .* exited with code 1\./);
    expect(log).not.toContain(` ${treasure}\n`);
    // The first part of the repository is the organization of a control plane that names none.
    const older = (repository: string) =>
      ground.build({ Dockerfile: read }, { body: { builder: 'dockerfile', repository } });
    expect((await older('victim/project/service')).log).toMatch(/RUN --mount=type=cache.*\n#\d+ CACHED/);
  });

  test('reaches private addresses that the owner of the cluster allows, by the proxy', async () => {
    const allowing = await builderGround(world, { allowedRanges: ['10.213.0.0/16'] }, engine.socket);
    try {
      const { result, log } = await build(
        `FROM machine:1\nRUN curl -sS http://${engine.address}:${port}/\n`,
        'one',
        allowing,
      );
      expect(result, log).toMatchObject({ outcome: 'done' });
      expect(log).toContain(treasure);
    } finally {
      await allowing.close();
    }
  });

  test('is a container without a network, without all rights, with limits and without the socket of the engine', async () => {
    await build('FROM machine:1\nRUN id\n', 'one');
    const docker = new Engine(engine.socket);
    const containers = await docker.ask((client) => client.listContainers());
    const builders = containers.filter(({ Names }) => Names.some((name) => name.startsWith('/ballast-builder-')));
    expect(builders.length).toBeGreaterThan(0);
    for (const { Id } of builders) {
      const { HostConfig, Mounts } = await docker.ask((client) => client.getContainer(Id).inspect());
      expect(HostConfig).toMatchObject({ NetworkMode: 'none', Privileged: false });
      expect(Number(HostConfig.Memory)).toBeGreaterThan(2 ** 30);
      expect(Number(HostConfig.PidsLimit)).toBeGreaterThan(0);
      expect(Mounts.map(({ Destination }) => Destination).sort()).toEqual(['/run/ballast', '/var/lib/buildkit']);
    }
    const { result, log } = await build('FROM machine:1\nRUN ls -R /dev /sys/class/net\n', 'one');
    expect(result, log).toMatchObject({ outcome: 'done' });
    expect(log).toMatch(/\/sys\/class\/net:\n#\d+ lo\n/);
    expect(log).not.toMatch(/buildkitd\.sock|eth0/);
  });
});
