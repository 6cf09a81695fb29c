import { expect, test } from 'vitest';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { ownApi } from '../../test/api/own-api.ts';

const { api, ours } = await ownApi({
  env: {
    TEAMS_PER_ORGANIZATION: '2',
    // Those that the seed makes are four.
    TOKENS_PER_ORGANIZATION: '6',
    INVITATIONS_PER_ORGANIZATION: '2',
    TRUSTED_ISSUERS_PER_ORGANIZATION: '2',
    OBJECT_STORES_PER_ORGANIZATION: '2',
    // One is the seed's.
    ORGANIZATIONS_PER_OWNER: '3',
    IDEMPOTENCY_KEYS_PER_CREDENTIAL: '2',
  },
});

const name = () => `n-${crypto.randomUUID()}`;
const organization = () => `/api/v1/organizations/${ours.organizationId}`;

test.each([
  ['TEAMS_PER_ORGANIZATION', () => ['/api/v1/teams', { name: name() }]],
  ['TOKENS_PER_ORGANIZATION', () => ['/api/v1/api-tokens', { name: name(), role: 'viewer' }]],
  [
    'INVITATIONS_PER_ORGANIZATION',
    () => [`${organization()}/invitations`, { email: `${name()}@x.org`, role: 'viewer' }],
  ],
  [
    'TRUSTED_ISSUERS_PER_ORGANIZATION',
    () => [
      '/api/v1/trusted-issuers',
      { name: name(), issuer: 'https://ci.example.com', audience: 'us', claims: { sub: ['x'] }, role: 'viewer' },
    ],
  ],
  [
    'OBJECT_STORES_PER_ORGANIZATION',
    () => [
      '/api/v1/object-stores',
      { name: name(), endpoint: 'https://s3.example.com', bucket: 'backups', accessKeyId: 'a', secretAccessKey: 'b' },
    ],
  ],
  ['ORGANIZATIONS_PER_OWNER', () => ['/api/v1/organizations', { name: name(), slug: name() }]],
] satisfies [string, () => [string, object]][])(
  '%s bounds what is asked for at the same time, too',
  async (setting, request) => {
    const made = await Promise.all(
      Array.from({ length: 5 }, () => {
        const [path, body] = request();
        return api.call('POST', path, { as: ours.sessions.owner, body });
      }),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
    expect(made.find(({ status }) => status === 409)?.body.detail).toContain(setting);
  },
);

test('the keys of one credential are bounded, and those of another are not concerned', async () => {
  const repeat = (as = ours.tokens.admin, key = name()) =>
    api.call('PATCH', organization(), { as, body: { name: 'Acme' }, headers: { 'idempotency-key': key } });
  const key = name();
  expect([(await repeat(ours.tokens.admin, key)).status, (await repeat()).status]).toEqual([200, 200]);
  expectProblem(await repeat(), 409, 'IDEMPOTENCY_KEYS_PER_CREDENTIAL');
  expect((await repeat(ours.tokens.admin, key)).headers.get('idempotent-replayed')).toBe('true');
  expect((await repeat(ours.sessions.admin)).status).toBe(200);
});
