import { afterAll, expect, test } from 'vitest';
import { startAnswering } from '../../test/images/registry.ts';
import { seedToken } from '../../test/installation/running-api.ts';
import { registryWorld, tokenOf } from '../../test/registry/registry-world.ts';

const world = await registryWorld({ OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' });
const swordfish = `Basic ${Buffer.from('ada:swordfish').toString('base64')}`;
/** A registry with a name and a password, and no tokens. One short sign-in is sent on to somewhere else. */
const basic = await startAnswering(({ headers: { authorization = '' } }, response) => {
  const status = authorization === swordfish ? 200 : authorization.length === 10 ? 307 : 401;
  response.writeHead(status, { 'www-authenticate': 'Basic realm="x"', location: 'http://169.254.169.254/' }).end();
});
/** One with a service of tokens, as most are. */
const tokens = await startAnswering(({ url, headers: { authorization, host } }, response) => {
  const given = url?.startsWith('/token') ? authorization === swordfish : authorization === 'Bearer good';
  const challenge = `Bearer realm="http://${host}/token",service="here"`;
  response.writeHead(given ? 200 : 401, { 'www-authenticate': challenge }).end(JSON.stringify({ token: 'good' }));
});
afterAll(async () => {
  await basic.stop();
  await tokens.stop();
  await world.close();
});

const { api, organization } = world;
const as = organization.sessions.admin;
const path = '/api/v1/registry-credentials';
const here = new URL(api.url).host;

async function add(host: string, username: string, password: string): Promise<string> {
  const body = { name: crypto.randomUUID(), host, username, password };
  const { status, text, body: made } = await api.call('POST', path, { as, body });
  expect(status, text).toBe(201);
  expect(made).toMatchObject({ lastError: '' });
  return String(made.id);
}

const check = async (id: string) => (await api.call('POST', `${path}/${id}/check`, { as })).body;

test('the registry of another installation accepts an API token, which is read back with the time', async () => {
  const id = await add(here, 'token', tokenOf(organization.tokens.deployer));
  const checked = await check(id);
  expect(checked).toMatchObject({ id, lastError: '', verifiedAt: expect.stringMatching(/Z$/) });
  expect((await api.call('GET', `${path}/${id}`, { as })).body).toMatchObject({ verifiedAt: checked.verifiedAt });
  expect((await check(await add(here, 'token', 'swordfish'))).lastError).toMatch(/\(401\)\.$/);
});

test('a registry with tokens is asked with one of them, and a wrong sign-in is said by who refused it', async () => {
  expect(await check(await add(tokens.host, 'ada', 'swordfish'))).toMatchObject({ lastError: '' });
  const wrong = await check(await add(tokens.host, 'ada', 'hunter2'));
  expect(wrong.lastError).toBe(`${tokens.host} refused the sign-in for ${tokens.host} (401).`);
  expect(wrong).not.toHaveProperty('verifiedAt');
});

test('a registry with passwords is asked, and its password goes nowhere else', async () => {
  expect(await check(await add(basic.host, 'ada', 'swordfish'))).toMatchObject({ lastError: '' });
  const refused = await check(await add(basic.host, 'ada', 'hunter2'));
  expect(refused.lastError).toBe(`${basic.host} does not accept the sign-in (401).`);
  const moved = await check(await add(basic.host, 'a', 'b'));
  expect(moved.lastError).toBe(`${basic.host} answered 307.`);
});

test('a check that failed keeps when the sign-in was accepted before, and its next success takes the failure away', async () => {
  const answering = { accepts: true };
  const registry = await startAnswering((_, response) => response.writeHead(answering.accepts ? 200 : 503).end());
  const id = await add(registry.host, 'ada', 'swordfish');
  const { verifiedAt } = await check(id);
  answering.accepts = false;
  expect(await check(id)).toMatchObject({ lastError: `${registry.host} answered 503.`, verifiedAt });
  answering.accepts = true;
  expect((await check(id)).lastError).toBe('');
  await registry.stop();
  expect((await check(id)).lastError).toMatch(/^.*does not answer|refused|ECONNREFUSED/);
});

test('a metadata address is never asked', async () => {
  const { lastError } = await check(await add('169.254.169.254', 'ada', 'swordfish'));
  expect(lastError).not.toBe('');
  expect(lastError).not.toMatch(/answered/);
});

test('the log names the check and no password', async () => {
  const id = await add(basic.host, 'ada', 'swordfish');
  await check(id);
  const { body } = await api.call('GET', `/api/v1/audit-log?subjectId=${id}`, { as });
  expect(JSON.stringify(body)).toContain('registry_credential.checked');
  expect(JSON.stringify([body, api.lines])).not.toContain('swordfish');
});

test('a deployer, another organization and a token that is limited to projects check nothing', async () => {
  const id = await add(basic.host, 'ada', 'swordfish');
  const before = basic.asked.length;
  const limited = await seedToken(api.database, organization.organizationId, 'admin', [world.repository.projectId]);
  const asked = [organization.sessions.deployer, limited].map((who) =>
    api.call('POST', `${path}/${id}/check`, { as: who }),
  );
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([403, 403]);
  expect(basic.asked.length).toBe(before);
});
