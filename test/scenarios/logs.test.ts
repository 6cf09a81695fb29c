import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Installation } from '../installation/installation.ts';
import { call } from '../installation/running-api.ts';
import { partNames } from '../installation/running-parts.ts';
import { secretsInLogs } from '../installation/secrets-in-logs.ts';
import { story } from '../installation/story.ts';

let installation: Installation;

beforeAll(async () => {
  // As much as a person would ever turn on to find a fault.
  installation = await Installation.start('logs', { LOG_LEVEL: 'trace' });
});
afterAll(() => installation?.remove());

test('no secret is in any log, after all that people do and all that they do wrong', async () => {
  await story({ installation, urls: [installation.url] });
  const { token } = await installation.token('admin');
  const { owner } = await installation.organization();
  const cookie = { as: owner };
  // Secrets where they do not belong, in requests that are refused.
  const teams = `${installation.url}/api/v1/teams`;
  await Promise.all([
    call(`${teams}?access_token=${token}`, 'GET'),
    call(`${teams}/${token}`, 'DELETE', cookie),
    call(`${installation.url}/${owner.session}`, 'GET'),
    call(teams, 'POST', { ...cookie, body: { name: token, secret: owner.session } }),
    call(teams, 'POST', { ...cookie, body: `{"name": "${token}` }),
    call(teams, 'GET', { headers: { authorization: `Basic ${token}` } }),
    call(teams, 'GET', { headers: { cookie: `svc_session=${owner.session}; svc_session=${owner.session}` } }),
    call(teams, 'GET', { headers: { 'x-request-id': token, authorization: `Bearer ${token}` } }),
    call(teams, 'POST', { ...cookie, body: { name: 'Team' }, headers: { 'idempotency-key': token } }),
  ]);

  // Parts that break while they are used say what has happened to them.
  const before = installation.parts.pid('postgres');
  installation.parts.kill('postgres');
  await Promise.all(Array.from({ length: 20 }, () => call(teams, 'GET', { as: { token, id: '' } })));
  await installation.replaced('postgres', before);

  for (const part of partNames) expect(readdirSync(join(installation.home, 'logs'))).toContain(`${part}.log`);
  const api = readFileSync(join(installation.home, 'logs', 'api.log'), 'utf8');
  expect(api.includes('"operation":"teams.create"')).toBe(true);
  expect(secretsInLogs(installation)).toEqual([]);
});

test('the search would find one', () => {
  const [secret = ''] = installation.secrets;
  const log = join(installation.home, 'logs', 'planted.log');
  writeFileSync(log, `{"msg":"request","authorization":"Bearer ${secret}"}\n`);
  expect(secretsInLogs(installation)).toEqual([expect.stringContaining('planted.log')]);
});
