import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DockerEngine, dockerCanRun, dockerEngine } from '../agents/docker-engine.ts';
import { through } from '../agents/kept-machine.ts';
import { importBase, withNode } from '../builders/base-image.ts';
import { freePort } from '../ground/free-port.ts';
import { until } from '../ground/until.ts';
import { runBallast } from '../installation/ballast-command.ts';
import { Installation } from '../installation/installation.ts';

const scripts = { build: "node -e \"fs.writeFileSync('made','built here')\"", start: 'node server.js' };
const server = `require('http').createServer((q, a) => a.end(require('fs').readFileSync('made'))).listen(process.env.PORT)`;
const app = { 'package.json': JSON.stringify({ name: 'app', scripts }), 'server.js': server };
const Dockerfile = `FROM node:24-slim
WORKDIR /srv
COPY server.js .
RUN echo -n 'by its Dockerfile' > made
EXPOSE 8080
CMD ["node", "server.js"]
`;

describe.runIf(dockerCanRun())('on a cluster with the driver docker', () => {
  let engine: DockerEngine;
  let installation: Installation;
  let env: Record<string, string>;
  const directory = mkdtempSync(join(tmpdir(), 'ballast-folder-'));

  beforeAll(async () => {
    engine = await dockerEngine({ builds: true });
    await importBase(engine.socket, 'node:24-slim', withNode());
    installation = await Installation.start('built-on-docker', {
      LOCAL_CLUSTER: 'true',
      LOCAL_DRIVER: 'docker',
      LOCAL_DOCKER_SOCKET: engine.socket,
      INGRESS_PORT: String(await freePort()),
    });
    const { token } = await installation.token('admin');
    env = { ...installation.env, BALLAST_URL: installation.url, BALLAST_TOKEN: token };
    await until('the local cluster is ready', async () =>
      / ready /.test((await runBallast(['cluster', 'list'], env)).stdout),
    );
  });
  afterAll(async () => {
    await installation?.remove();
    await engine?.stop();
    rmSync(directory, { recursive: true });
  });

  function folder(name: string, files: Record<string, string>): string {
    mkdirSync(join(directory, name), { recursive: true });
    for (const [path, content] of Object.entries(files)) writeFileSync(join(directory, name, path), content);
    return join(directory, name);
  }

  test.each([
    ['an application', 'app', app, 'built here'],
    ['pages', 'pages', { 'index.html': '<h1>Served</h1>' }, '<h1>Served</h1>'],
    ['a Dockerfile', 'dockerfile', { Dockerfile, 'server.js': server }, 'by its Dockerfile'],
  ])('%s is built by the engine and answers', async (_, name, files, body) => {
    const words = ['deploy', folder(name, files), '--project', name, '--service', 'web', '--yes', '--json'];
    const { code, stdout, stderr } = await runBallast(words, env);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const { addresses }: { addresses: string[] } = JSON.parse(stdout);
    const { hostname, port } = new URL(addresses[0] ?? '');
    const answer = await through(`http://127.0.0.1:${port}`, hostname);
    expect(answer.body).toBe(body);
  });
});
