import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pushLayout } from '../../cli/image/push-layout.ts';
import { dockerCanRun, dockerEngine } from '../../test/agents/docker-engine.ts';
import { handMadeLayout, tarOf } from '../../test/images/hand-made-image.ts';
import { type RunningApi, runningApi } from '../../test/installation/running-api.ts';
import { clientProgram, run } from '../../test/registry/clients.ts';
import { types } from '../../test/registry/registry-client.ts';
import { seedRepository } from '../../test/registry/seed-repository.ts';

const [skopeo, crane, oras] = [clientProgram('skopeo'), clientProgram('crane'), clientProgram('oras')];
const docker = dockerCanRun();
let api: RunningApi;
let host: string;
let token: string;
let repository: string;
let other: string;
let image: { layout: string; digest: string };
let home: string;

beforeAll(async () => {
  api = await runningApi();
  const organization = await api.organization();
  const { deployer } = organization.tokens;
  token = 'token' in deployer ? deployer.token : '';
  host = new URL(api.url).host;
  repository = `${host}/${(await seedRepository(api.database, organization)).path}`;
  other = `${host}/${(await seedRepository(api.database, organization)).path}`;
  home = mkdtempSync(join(tmpdir(), 'ballast-clients-'));
  const large = Buffer.alloc(8 * 1024 * 1024, 'ballast');
  image = await handMadeLayout([
    [{ name: 'run', content: 'a program' }],
    [{ name: 'large', content: large.toString() }],
  ]);
  writeFileSync(join(image.layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  const { manifests } = JSON.parse(readFileSync(join(image.layout, 'index.json'), 'utf8'));
  const typed = [{ ...manifests[0], mediaType: types.manifest }];
  writeFileSync(join(image.layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: typed }));
});

afterAll(async () => {
  await api.close();
  for (const directory of [home, image.layout]) rmSync(directory, { recursive: true, force: true });
});

describe.skipIf(skopeo === undefined)('skopeo', () => {
  const ask = (...args: string[]) => run(skopeo ?? '', args);

  test('pushes an image, inspects it, lists tags, copies it back and deletes it', async () => {
    const reference = `docker://${repository}:skopeo`;
    await ask('copy', '--dest-tls-verify=false', '--dest-creds', `x:${token}`, `oci:${image.layout}`, reference);
    const access = ['--tls-verify=false', '--creds', `x:${token}`];
    const inspected = JSON.parse(await ask('inspect', ...access, reference));
    expect(inspected.RepoTags).toContain('skopeo');
    const back = join(home, 'skopeo');
    await ask('copy', '--src-tls-verify=false', '--src-creds', `x:${token}`, reference, `oci:${back}`);
    const index = JSON.parse(readFileSync(join(back, 'index.json'), 'utf8'));
    expect(index.manifests[0].digest).toBe(inspected.Digest);
    await ask('delete', ...access, reference);
    await expect(ask('inspect', ...access, reference)).rejects.toThrow(/manifest unknown|MANIFEST_UNKNOWN/i);
  });
});

describe.skipIf(crane === undefined)('crane', () => {
  const ask = (...args: string[]) => run(crane ?? '', args, { DOCKER_CONFIG: home });

  test('signs in, pushes, mounts in another repository, lists, pulls and deletes', async () => {
    await ask('auth', 'login', host, '-u', 'x', '-p', token);
    await ask('push', image.layout, `${repository}:crane`);
    expect(await ask('digest', `${repository}:crane`)).toBe(image.digest);
    await ask('copy', `${repository}:crane`, `${other}:copied`);
    expect(await ask('digest', `${other}:copied`)).toBe(image.digest);
    await ask('tag', `${other}:copied`, 'again');
    expect((await ask('ls', other)).split('\n')).toEqual(['again', 'copied']);
    await ask('pull', '--format=oci', `${repository}:crane`, join(home, 'crane'));
    await ask('delete', `${other}@${image.digest}`);
    await expect(ask('digest', `${other}:copied`)).rejects.toThrow(/MANIFEST_UNKNOWN|404/);
  });
});

describe.skipIf(oras === undefined)('oras', () => {
  const ask = (...args: string[]) => run(oras ?? '', args, { DOCKER_CONFIG: home });

  test('pushes an artifact, attaches another to it, discovers and pulls it', async () => {
    await run(oras ?? '', ['login', host, '-u', 'x', '-p', token, '--plain-http'], { DOCKER_CONFIG: home });
    const file = join(home, 'note.txt');
    writeFileSync(file, 'a note');
    const plain = ['--plain-http', '--disable-path-validation'];
    await ask('push', ...plain, '--artifact-type', 'application/vnd.test', `${repository}:oras`, file);
    await ask('attach', ...plain, '--artifact-type', 'application/vnd.signature', `${repository}:oras`, file);
    const found = await ask('discover', '--plain-http', '--format', 'json', `${repository}:oras`);
    const { manifests = [], referrers = manifests } = JSON.parse(found);
    expect(referrers).toMatchObject([{ artifactType: 'application/vnd.signature' }]);
    await ask('pull', '--plain-http', '--output', join(home, 'oras'), '--allow-path-traversal', `${repository}:oras`);
    await ask('cp', '--from-oci-layout', `${image.layout}@${image.digest}`, '--to-plain-http', `${repository}:copied`);
    expect(await ask('resolve', '--plain-http', `${repository}:copied`)).toBe(image.digest);
  });
});

describe.skipIf(!docker)('docker', () => {
  test('signs in, pushes, pulls what it has deleted, and saves an archive that our CLI pushes', async () => {
    const engine = await dockerEngine();
    try {
      const env = { DOCKER_HOST: `unix://${engine.socket}`, DOCKER_CONFIG: join(home, 'docker') };
      const ask = (...args: string[]) => run('docker', args, env);
      const tar = join(home, 'image.tar');
      writeFileSync(tar, await tarOf([{ name: 'run', content: 'a program' }]));
      await ask('login', host, '-u', 'x', '-p', token);
      await ask('import', tar, `${repository}:docker`);
      expect(await ask('push', `${repository}:docker`)).toMatch(/digest: sha256:/);
      const archive = join(home, 'saved.tar');
      await ask('save', '-o', archive, `${repository}:docker`);
      const target = { url: api.url, repository: repository.replace(`${host}/`, ''), token, tag: 'saved' };
      const { digest } = await pushLayout(archive, target);
      await ask('rmi', `${repository}:docker`);
      await ask('pull', `${repository}:docker`);
      await ask('pull', `${repository}@${digest}`);
      expect(await ask('images', '-q', '--no-trunc', `${repository}:docker`)).toMatch(/^sha256:/);
    } finally {
      await engine.stop();
    }
  });
});
