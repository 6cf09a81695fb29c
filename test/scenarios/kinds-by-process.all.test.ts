import { afterAll, beforeAll, expect, test } from 'vitest';
import { through } from '../agents/kept-machine.ts';
import { type GitServer, gitServer } from '../git/git-server.ts';
import { freePort } from '../ground/free-port.ts';
import { until } from '../ground/until.ts';
import { runBallast } from '../installation/ballast-command.ts';
import { Installation } from '../installation/installation.ts';
import { canRun } from '../kinds/can-run.ts';
import { kinds } from '../kinds/kinds.ts';

let installation: Installation;
let git: GitServer;
let env: Record<string, string>;
let token = '';

beforeAll(async () => {
  git = await gitServer();
  installation = await Installation.start('kinds-by-process', {
    ...{ LOCAL_CLUSTER: 'true', LOCAL_DRIVER: 'process', INGRESS_PORT: String(await freePort()) },
    // The Git server, and registries of packages, of this machine too.
    OUTBOUND_ALLOWED_RANGES: `127.0.0.0/8,${process.env.TEST_PACKAGE_RANGES ?? '203.0.113.0/24'}`,
  });
  token = (await installation.token('admin')).token;
  env = { ...installation.env, BALLAST_URL: installation.url, BALLAST_TOKEN: token };
  await until('the local cluster is ready', async () =>
    / ready /.test((await runBallast(['cluster', 'list'], env)).stdout),
  );
});
afterAll(async () => {
  await installation?.remove();
  await git?.close();
});

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const answered = await fetch(`${installation.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answered.text();
  if (!answered.ok) throw new Error(`${method} ${path}: ${answered.status} ${text}`);
  return JSON.parse(text) as T;
}

/** The last lines of the build, for who reads that it failed. */
async function logOf(service: string): Promise<string> {
  const { items } = await call<{ items: { id: string }[] }>('GET', `/services/${service}/builds`);
  const words = ['build', 'log', items[0]?.id ?? ''];
  return (await runBallast(words, env)).stdout.split('\n').slice(-80).join('\n');
}

test.each(kinds.filter(canRun).map((kind) => [kind.name, kind] as const))(
  '%s is cloned, built, started, and answers',
  async (name, { files, context = '', answers }) => {
    const gitUrl = await git.create(`kinds/${name}.git`);
    const commit = await git.commit(`kinds/${name}.git`, files);
    const { project } = await call<{ project: { id: string } }>('POST', '/projects', { name });
    const source = { kind: 'git', gitUrl, context };
    const made = { name: 'web', source };
    const { service } = await call<{ service: { id: string } }>('POST', `/projects/${project.id}/services`, made);
    const words = ['deploy', '--staged', '--project', name, '--environment', 'staging', '--timeout', '25m', '--json'];
    const { code, stdout, stderr } = await runBallast(words, env);
    expect(code, code === 0 ? '' : `${stderr}\n${await logOf(service.id)}`).toBe(0);
    const { addresses }: { addresses: string[] } = JSON.parse(stdout);
    const { hostname, port } = new URL(addresses[0] ?? '');
    const answered = await through(`http://127.0.0.1:${port}`, hostname, answers.path);
    expect(answered).toMatchObject({ status: 200, body: expect.stringContaining(answers.includes) });
    const { items } = await call<{ items: object[] }>('GET', `/services/${service.id}/builds`);
    expect(items).toMatchObject([{ commitSha: commit, status: 'succeeded' }]);
    // So many programs at once would take the memory of the next builds.
    expect(await runBallast(['project', 'delete', name, '--yes'], env)).toMatchObject({ code: 0 });
  },
  1_800_000,
);
