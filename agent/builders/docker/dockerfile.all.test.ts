import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DockerEngine, dockerCanRun, dockerEngine } from '../../../test/agents/docker-engine.ts';
import { importBase } from '../../../test/builders/base-image.ts';
import { type BuilderGround, builderGround } from '../../../test/builders/builder-ground.ts';
import { type RegistryWorld, registryWorld } from '../../../test/registry/registry-world.ts';

describe.runIf(dockerCanRun())('a Dockerfile', () => {
  let engine: DockerEngine;
  let world: RegistryWorld;
  let ground: BuilderGround;

  beforeAll(async () => {
    engine = await dockerEngine();
    world = await registryWorld();
    ground = await builderGround(world, {}, engine.socket);
    await importBase(engine.socket, 'machine:1');
  });
  afterAll(async () => {
    await ground?.close();
    await world?.close();
    await engine?.stop();
  });
  const built = (files: Record<string, string>, body: object = {}) =>
    ground.build(files, { body: { builder: 'dockerfile', ...body } });

  test('without a base is built, pushed, and nothing of it stays in the engine', async () => {
    const one = await built({
      Dockerfile: 'FROM scratch\nCOPY page.html /page.html\nCMD ["/run"]\n',
      'page.html': 'hello',
    });
    expect(one.result, one.log).toEqual({ outcome: 'done', exitCode: 0 });
    console.log(one.log, JSON.stringify(one.progress.at(-2)));
    const two = await built({ Dockerfile: 'FROM machine:1\nRUN echo hello > /made && sleep 1\nRUN chmod 600 /made\n' });
    console.log(two.log, JSON.stringify(two.result));
    const three = await built({ Dockerfile: 'FROM machine:1\nRUN echo oh no; exit 3\n' });
    console.log(three.log, JSON.stringify(three.result));
    const four = await built({
      Dockerfile: 'FROM machine:1\nRUN --mount=type=secret,id=TOKEN cat /run/secrets/TOKEN\n',
    });
    console.log(four.log, JSON.stringify(four.result));
    const five = await built(
      {
        Dockerfile:
          'FROM machine:1\nRUN --mount=type=secret,id=TOKEN cat /run/secrets/TOKEN; stat /run/secrets/TOKEN\n',
      },
      { variables: { TOKEN: 'sesame-open' }, secrets: ['TOKEN'] },
    );
    console.log(five.log, JSON.stringify(five.result));
  });
});
