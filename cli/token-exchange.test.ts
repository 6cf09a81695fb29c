import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { afterAll, expect, test } from 'vitest';
import { CommandHost, type Ended } from '../test/commands/command-host.ts';
import { bareEnvironment } from '../test/ground/bare-environment.ts';
import { audience, jobExchange } from '../test/identity/job-exchange.ts';

/** The address that a runner of GitHub offers a job: asked with the job's credential, it gives a token for an audience. */
const asked: Pick<IncomingMessage, 'url' | 'headers'>[] = [];
const github = createServer(async ({ url, headers }, response) => {
  asked.push({ url, headers });
  const good = headers.authorization === 'Bearer of-the-job';
  response.statusCode = good ? 200 : 401;
  response.end(
    JSON.stringify(
      good
        ? { value: await jobs.job({ aud: new URL(`${url}`, 'http://x').searchParams.get('audience') }) }
        : { message: 'no' },
    ),
  );
});
const host = new CommandHost();
const jobs = await jobExchange();
await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
const address = `http://127.0.0.1:${(github.address() as AddressInfo).port}/token?api-version=2`;
afterAll(async () => {
  await host.close();
  github.close();
  await jobs.close();
});

function exchange(env: Record<string, string>, ...words: string[]): Promise<Ended> {
  const all = { ...bareEnvironment, BALLAST_URL: jobs.api.url, ...env };
  return host.run({ words: ['token', 'exchange', ...words], env: all, cwd: tmpdir(), input: '' });
}
const ofGithub = (credential = 'of-the-job') => ({
  GITHUB_ACTIONS: 'true',
  ACTIONS_ID_TOKEN_REQUEST_URL: address,
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: credential,
});

test('a job of GitHub gets a token that works, and its log never shows it', async () => {
  const { code, out, err } = await exchange(ofGithub(), '--organization', jobs.ours.slug, '--audience', audience);
  expect([code, err]).toEqual([0, expect.stringContaining(`(deployer) of ${jobs.ours.slug}, until `)]);
  const secret = out.trim();
  expect(err.split('\n')[0]).toBe(`::add-mask::${secret}`);
  expect(asked.at(-1)?.url).toBe(`/token?api-version=2&audience=${encodeURIComponent(audience)}`);
  expect((await jobs.api.call('GET', '/api/v1/teams', { as: { token: secret, id: '' } })).status).toBe(200);
});

test('a job of another CI has its token in the environment, and names what it gets', async () => {
  const env = { BALLAST_JOB_TOKEN: await jobs.job() };
  const words = ['--organization', jobs.ours.slug, '--name', 'Nightly', '--json'];
  const { code, out, err } = await exchange(env, ...words);
  expect([code, err]).toEqual([0, '']);
  expect(JSON.parse(out)).toMatchObject({ token: { name: 'Nightly', role: 'deployer' }, secret: expect.any(String) });
  expect((await exchange(env, ...words)).err).toContain('was exchanged before');
});

test.each([
  ['without an organization', () => ({}), [], 2, '--organization needs the slug'],
  ['without a token', () => ({}), ['--organization', 'acme'], 1, 'BALLAST_JOB_TOKEN'],
  ['without the permission', () => ({ GITHUB_ACTIONS: 'true' }), ['--organization', 'acme'], 1, 'id-token: write'],
  ['of a job that GitHub refuses', () => ofGithub('x'), ['--organization', 'acme'], 1, '(status 401)'],
  ['for another audience', () => ofGithub(), ['--organization', 'OURS'], 1, 'wants another audience'],
] as const)('%s it is refused with one sentence', async (_, env, words, expected, sentence) => {
  const { code, out, err } = await exchange(env(), ...words.map((word) => (word === 'OURS' ? jobs.ours.slug : word)));
  expect([code, out, err]).toEqual([expected, '', expect.stringMatching(/^ballast: [^\n]+\n$/)]);
  expect(err).toContain(sentence);
});
