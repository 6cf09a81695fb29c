import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DockerEngine, dockerCanRun, dockerEngine } from '../../../test/agents/docker-engine.ts';
import { importBase } from '../../../test/builders/base-image.ts';
import { type BuilderGround, builderGround, settings, tarOf } from '../../../test/builders/builder-ground.ts';
import { buildkitCanBeMade, buildkitMillis, loadBuildkit } from '../../../test/builders/buildkit-image.ts';
import { imageContent } from '../../../test/builders/image-content.ts';
import { processesWith } from '../../../test/builders/processes-with.ts';
import { gitServer } from '../../../test/git/git-server.ts';
import { until } from '../../../test/ground/until.ts';
import { type RegistryWorld, registryWorld, tokenOf } from '../../../test/registry/registry-world.ts';
import { Engine } from '../../drivers/docker/engine.ts';
import { Client } from '../../link/client.ts';
import { builderImage } from '../build-settings.ts';
import { Builders } from '../builders.ts';

describe.runIf(dockerCanRun() && buildkitCanBeMade())('a Dockerfile', () => {
  let engine: DockerEngine;
  let world: RegistryWorld;
  let ground: BuilderGround;

  beforeAll(async () => {
    engine = await dockerEngine();
    await loadBuildkit(engine.socket);
    world = await registryWorld();
    ground = await builderGround(world, { allowedRanges: ['127.0.0.0/8'] }, engine.socket);
    await importBase(engine.socket, 'machine:1');
  }, buildkitMillis);
  afterAll(async () => {
    await ground?.close();
    await world?.close();
    await engine?.stop();
  });
  const built = (files: Record<string, string>, body: object = {}) =>
    ground.build(files, { body: { builder: 'dockerfile', ...body } });
  const failed = async (dockerfile: string, body: object = {}, more: Record<string, string> = {}) => {
    const { result } = await built({ Dockerfile: dockerfile, ...more }, body);
    expect(result.outcome).toBe('failed');
    return result.message;
  };
  const ours = ['machine:1', builderImage];
  const imagesOfEngine = async () => {
    const images = await new Engine(engine.socket).ask((docker) => docker.listImages());
    return images.flatMap(({ RepoTags }) => RepoTags ?? []).sort();
  };

  test('is built, its image pushed, the same digest comes out with the cache and without, and nothing stays in the engine', async () => {
    const source = {
      Dockerfile: `FROM machine:1 AS made
        RUN mkdir -p /out/b /out/a && echo one > /out/b/file && ln /out/b/file /out/a/name && ln -s b/file /out/link && chmod 750 /out/b/file && id > /out/${'long'.repeat(40)}
        FROM scratch
        COPY --from=made --chown=1000:1000 /out /out
        COPY page.html /page.html
        ENV B=2 A=1
        CMD ["/run"]`,
      'page.html': 'hello',
    };
    const first = await built(source);
    expect(first.result, first.log).toEqual({ outcome: 'done', exitCode: 0 });
    const steps = first.progress.findLast((one) => one.steps !== undefined)?.steps ?? [];
    expect(steps.slice(0, 3).map(({ name }) => name)).toEqual(['fetch', 'detect', 'build']);
    expect(steps.slice(-2).map(({ name }) => name)).toEqual(['image', 'push']);
    expect(steps.map(({ name }) => name)).toContain('[stage-1 2/2] COPY page.html /page.html');
    expect(
      steps.every(({ status, startedAt, finishedAt = '' }) => status === 'succeeded' && startedAt <= finishedAt),
    ).toBe(true);
    expect(first.progress.at(-1)).toEqual({ image: { digest: first.digest } });

    const again = await built(source);
    expect(again.digest).toBe(first.digest);
    expect(again.log).toContain('CACHED');
    expect(again.log).toContain('nothing new in it');
    const { cachedSteps = 0, totalSteps = 0 } = again.progress.findLast(({ cache }) => cache)?.cache ?? {};
    expect(cachedSteps).toBeGreaterThan(0);
    expect(totalSteps).toBeGreaterThanOrEqual(cachedSteps);

    const anew = await built(source, { organizationId: 'another' });
    expect(anew.log).not.toContain('CACHED');
    expect(anew.digest).toBe(first.digest);

    const { config, layers, text } = await imageContent(world, first.digest);
    expect(config.config).toMatchObject({ Cmd: ['/run'], Env: expect.arrayContaining(['A=1', 'B=2']) });
    expect(text).not.toContain('dev.ballast');
    const entries = layers.flatMap((layer) => layer.entries);
    expect(entries.every(({ mtime }) => mtime?.getTime() === 0)).toBe(true);
    const [made] = layers;
    const names = made?.entries.map(({ name }) => name) ?? [];
    expect(names).toEqual(names.toSorted());
    expect(made?.entries.find(({ name }) => name === 'out/a/name')).toMatchObject({
      type: 'file',
      mode: 0o750,
      uid: 1000,
    });
    expect(made?.entries.find(({ name }) => name === 'out/b/file')).toMatchObject({
      type: 'link',
      linkname: 'out/a/name',
    });
    expect(await imagesOfEngine()).toEqual(ours);
    expect(ground.left()).toEqual([]);
  });

  test('variables are arguments where they are declared, secrets are mounts, and neither log nor image knows a secret', async () => {
    const Dockerfile = `FROM machine:1
      ARG GREETING=none
      RUN echo "greeting=$GREETING other=$OTHER token=$TOKEN"
      RUN --mount=type=secret,id=TOKEN cat /run/secrets/TOKEN; sed 's/^/again /' /run/secrets/TOKEN > /dev/stderr`;
    const variables = { GREETING: 'good morning', OTHER: 'not declared', TOKEN: 'open-sesame-123' };
    const one = await built({ Dockerfile }, { variables, secrets: ['TOKEN'] });
    expect(one.result, one.log).toEqual({ outcome: 'done', exitCode: 0 });
    expect(one.log).toContain('greeting=good morning other= token=\n');
    expect(one.log).toContain('again [secret]');
    const { text } = await imageContent(world, one.digest);
    for (const told of [one.log, JSON.stringify(one.progress), text]) {
      expect(told).not.toContain('open-sesame-123');
      expect(told).not.toContain('not declared');
    }
    expect(await failed(Dockerfile, { variables: { TOKEN: 'in-the-clear' } })).toBe(
      'The step build failed: The Dockerfile mounts the secret "TOKEN", which the service does not have: add a secret variable of that name.',
    );
  });

  test('failures name the instruction, with its last lines, and what to do', async () => {
    expect(
      await failed('FROM machine:1\nRUN echo compiling; echo "Error: Cannot find module \'left-pad\'"; exit 3'),
    ).toMatch(
      /^The step build failed: \[2\/2\] RUN echo .* exited with code 3\. left-pad is not there.*\ncompiling\nError: Cannot find module 'left-pad'$/s,
    );
    expect(await failed('FROM machine:1\nRUN missing-program')).toContain('The program missing-program is not there');
    expect(await failed('FROM machine:1\nCOPY nowhere /\n')).toContain('/nowhere is not in the context');
    expect(await failed('FROM nowhere.invalid/image:1\n')).toMatch(/The image nowhere\.invalid\/image:1 cannot be had/);
    expect(await failed('# syntax=nowhere.invalid/frontend:1\nFROM machine:1\n')).toMatch(
      /"# syntax=".*take the line out/,
    );
    expect(await failed('FROM machine:1\nNONSENSE\n')).toMatch(/unknown instruction: NONSENSE/i);
    expect(await failed('FROM machine:1\n', { target: 'absent' })).toContain('The Dockerfile has no stage absent');
    expect(await failed('FROM machine:1\n', { dockerfile: 'deploy/Dockerfile' })).toContain(
      'The Dockerfile "deploy/Dockerfile" is not there',
    );
    expect(await failed('FROM machine:1\n', { dockerfile: '../Dockerfile' })).toContain('not within the context');
    expect(await failed('FROM machine:1\n', { context: '../..' })).toContain('The context');
    const image = `ballast/${'a'.repeat(64)}:12345678`;
    expect(await failed(`FROM ${image}\n`)).toContain(`${image} is an image of a service`);
    expect(ground.left()).toEqual([]);
  });

  test('the context, the path, the stage and .dockerignore of a folder count', async () => {
    const { result, log } = await built(
      {
        'app/deploy/Containerfile':
          'FROM machine:1 AS one\nCOPY . /all\nRUN ls /all /all/kept\nFROM nowhere.invalid/x AS two\n',
        'app/.dockerignore': 'hidden*\n*/hidden*\n',
        'app/hidden.txt': '',
        'app/kept/hidden.txt': '',
        'app/kept/shown.txt': '',
        'outside.txt': '',
      },
      { context: 'app', dockerfile: 'deploy/Containerfile', target: 'one' },
    );
    expect(result, log).toEqual({ outcome: 'done', exitCode: 0 });
    expect(log).toContain('shown.txt');
    expect(log).not.toMatch(/hidden\.txt|outside\.txt/);
  });

  test('of a commit is built like that of an uploaded folder', async () => {
    const git = await gitServer();
    try {
      const files = { Dockerfile: 'FROM scratch\nCOPY page.html /\n', 'page.html': 'hello' };
      const commit = await git.commit('team/app.git', files);
      const place = { url: `${git.url}/team/app.git`, ref: 'refs/heads/main', commit, username: '', password: '' };
      const one = await ground.build({}, { body: { builder: 'dockerfile', source: { kind: 'git', ...place } } });
      expect(one.result, one.log).toEqual({ outcome: 'done', exitCode: 0 });
      expect((await built(files)).digest).toBe(one.digest);
      expect(ground.left()).toEqual([]);
    } finally {
      await git.close();
    }
  });

  const endless = (mark: string) => ({ Dockerfile: `FROM machine:1\nRUN echo begun; sleep ${mark} & sleep ${mark}\n` });
  const newMark = () => `${100_000 + Math.floor(Math.random() * 1e9)}`;

  test('cancelled, or too slow, it leaves no process and no folder', async () => {
    const mark = newMark();
    const stopping = new AbortController();
    const { result, progress } = await ground.build(endless(mark), {
      body: { builder: 'dockerfile' },
      signal: stopping.signal,
      onLog: (text) => void (text.includes(' begun\n') && stopping.abort()),
    });
    expect(result).toEqual({ outcome: 'cancelled' });
    const steps = progress.findLast((one) => one.steps !== undefined)?.steps ?? [];
    expect(steps.at(-1)).toMatchObject({ status: 'cancelled', finishedAt: expect.any(String) });
    await until('its processes are gone', async () => processesWith(`sleep ${mark}`).length === 0);
    const limits = { ...ground.body().limits, seconds: 3 };
    expect((await built(endless(newMark()), { limits })).result.message).toMatch(/took longer than 3 s/);
    expect(ground.left()).toEqual([]);
  });

  test('a builder that dies ends its build with a sentence, and the next build has another one', async () => {
    const docker = new Engine(engine.socket);
    const kill = async () => {
      const containers = await docker.ask((client) => client.listContainers());
      for (const { Id } of containers) await docker.ask((client) => client.getContainer(Id).kill());
    };
    let killed: Promise<void> | undefined;
    const { result } = await ground.build(endless(newMark()), {
      body: { builder: 'dockerfile' },
      onLog: (text) => {
        if (text.includes(' begun\n')) killed ??= kill();
      },
    });
    await killed;
    expect(result.message).toMatch(/The builder of the organization has ended: retry the build\.$/);
    expect((await built({ Dockerfile: 'FROM machine:1\nRUN id\n' })).result).toMatchObject({ outcome: 'done' });
    expect(ground.left()).toEqual([]);
  });

  for (const step of ['build', 'image'])
    test(`killed in the step ${step}, an agent leaves what its successor clears`, async () => {
      const mark = newMark();
      const id = randomUUID();
      const source = step === 'build' ? endless(mark) : { Dockerfile: 'FROM machine:1\nRUN echo begun > /file\n' };
      ground.serve(id, await tarOf(source));
      const program = join(import.meta.dirname, '../../../test/builders/builder-program.ts');
      const credential = tokenOf(world.organization.tokens.deployer);
      const body = JSON.stringify(ground.body({ builder: 'dockerfile' }));
      const words = [program, ground.home, ground.url, credential, id, body, engine.socket];
      const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
      let said = '';
      for await (const text of child.stdout.setEncoding('utf8')) {
        said += text;
        if (said.includes(step === 'build' ? ' begun\n' : '==> image')) break;
      }
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGKILL');
      await ended;
      const client = new Client({ url: ground.url, credential: () => credential });
      const next = new Builders({ home: ground.home, client, driver: 'docker', socket: engine.socket, settings });
      expect(await next.holds()).toEqual({ holds: true });
      client.close();
      await until('its processes are gone', async () => processesWith(`sleep ${mark}`).length === 0);
      expect(await imagesOfEngine()).toEqual(ours);
      expect(ground.left()).toEqual([]);
    });
});
