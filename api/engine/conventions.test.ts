import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ownApi } from '../../test/api/own-api.ts';
import type { Answered } from '../../test/installation/running-api.ts';

const { api, ours } = await ownApi();
const theirs = await api.organization();
for (const name of ['One', 'Two', 'Three']) {
  for (const { tokens } of [ours, theirs]) {
    await api.as(tokens.admin).post('/teams', { name });
  }
}

const get = (path: string) => api.call('GET', path, { as: ours.tokens.admin });
const post = (body: unknown, headers: Record<string, string> = {}) =>
  api.call('POST', '/api/v1/teams', { as: ours.tokens.admin, body, headers });

function expectProblem(answered: Answered, status: number, locations?: string[]): void {
  expect(answered.status).toBe(status);
  expect(answered.headers.get('content-type')).toBe('application/problem+json');
  expect(answered.headers.get('x-request-id')).toMatch(/^[\w-]{8,64}$/);
  expect(answered.body).toMatchObject({ status, title: expect.any(String), detail: expect.any(String) });
  expect(answered.body.$schema).toBe('urn:ballast:schema:Problem');
  if (locations === undefined) expect(answered.body.errors).toBeUndefined();
  else expect(answered.body.errors).toMatchObject(locations.map((location) => ({ location })));
}

describe('pages', () => {
  test.each(['0', '201', 'x', '-1', '1.5', '', ' 5', '1e2', '0x10', '9999999999999999999'])(
    'limit=%j is 422 at query.limit',
    async (limit) => {
      expectProblem(await get(`/api/v1/teams?limit=${encodeURIComponent(limit)}`), 422, ['query.limit']);
    },
  );

  test('a limit that is sent twice is 422 at query.limit', async () => {
    expectProblem(await get('/api/v1/teams?limit=1&limit=2'), 422, ['query.limit']);
  });

  test.each(['1', '200'])('limit=%s is served', async (limit) => {
    expect((await get(`/api/v1/teams?limit=${limit}`)).status).toBe(200);
  });

  test('a cursor that is changed, cut, foreign or of another list is 422 at query.cursor', async () => {
    const cursor = String((await get('/api/v1/teams?limit=1')).body.nextCursor);
    const foreign = await theirs.tokens.admin.get('/teams?limit=1');
    const flipped = `${cursor.slice(0, -2)}${cursor.at(-2) === 'A' ? 'B' : 'A'}${cursor.at(-1)}`;
    const bad = [
      flipped,
      cursor.slice(0, -1),
      `${cursor}A`,
      '',
      '%00',
      'x'.repeat(3000),
      String(foreign.body.nextCursor),
    ];
    for (const wrong of bad) expectProblem(await get(`/api/v1/teams?limit=1&cursor=${wrong}`), 422, ['query.cursor']);
    expectProblem(await get(`/api/v1/audit-log?cursor=${cursor}`), 422, ['query.cursor']);
    expect((await get(`/api/v1/teams?limit=2&cursor=${cursor}`)).status).toBe(200);
  });

  test('a cursor with other filters is 422 at query.cursor', async () => {
    const cursor = (await get('/api/v1/audit-log?limit=1&action=team.created')).body.nextCursor;
    expect((await get(`/api/v1/audit-log?limit=1&action=team.created&cursor=${cursor}`)).status).toBe(200);
    expectProblem(await get(`/api/v1/audit-log?limit=1&action=team.deleted&cursor=${cursor}`), 422, ['query.cursor']);
  });
});

describe('bodies', () => {
  test.each(['{', '{"name":', 'name=x', '', '\u0000', '{"name":"x"}}'])('malformed JSON %j is 400', async (body) => {
    expectProblem(await post(body), body === '' ? 422 : 400, body === '' ? ['body'] : undefined);
  });

  test('bytes that are no UTF-8 are 400', async () => {
    const token = 'token' in ours.tokens.admin ? ours.tokens.admin.token : '';
    const answer = await fetch(`${api.url}/api/v1/teams`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    });
    expect(answer.status).toBe(400);
  });

  test.each([
    [{ name: 'x', colour: 1 }, ['body.colour']],
    [{ name: 1 }, ['body.name']],
    [{}, ['body.name']],
    [[], ['body']],
    ['"x"', ['body']],
    ['null', ['body']],
    [{ name: 'a\u0000b' }, ['body.name']],
    [{ name: 'a\ud800b' }, ['body.name']],
    [{ name: 'x', 'a\u0000': 1 }, ['body.a\ufffd']],
    ['{"name":"x","__proto__":{"a":1}}', ['body.__proto__']],
    [{ name: 'x'.repeat(101) }, ['body.name']],
    [{ name: '   ' }, ['body.name']],
    [{ name: 'ada\u202egpj.exe' }, ['body.name']],
    [{ name: 'ada\u200b' }, ['body.name']],
    [{ name: 'two\nlines' }, ['body.name']],
  ])('%j is 422 at its place', async (body, locations) => {
    expectProblem(await post(body), 422, locations);
  });

  test('a field in a list is named by its index', async () => {
    const path = `/teams/${crypto.randomUUID()}/members`;
    const body = { userIds: [crypto.randomUUID(), 'x', crypto.randomUUID(), 5] };
    const refused = await ours.tokens.admin.put(path, body);
    expectProblem(refused, 422, ['body.userIds[1]', 'body.userIds[3]']);
  });

  test('a body that nests without end is 422 before it is read, and brackets in a text do not count', async () => {
    for (const [levels, location] of [
      [63, 'body.name'],
      [64, 'body'],
      [400_000, 'body'],
    ] as const)
      expectProblem(await post(`{"name":${'['.repeat(levels)}${']'.repeat(levels)}}`), 422, [location]);
    expectProblem(await post('['.repeat(400_000)), 422, ['body']);
    expectProblem(await post(`{"name":1,"more":"\\"${'['.repeat(200)}"}`), 422, ['body.name', 'body.more']);
  });

  test('a body of more values than any operation takes is refused as one, before each is checked', async () => {
    const refused = await post(`[${'{},'.repeat(60_000)}{}]`);
    expectProblem(refused, 422, ['body']);
    expect(refused.text).toContain('50,000 values');
  });

  test('a body of 20 MB is 413, with a length and without', async () => {
    const big = JSON.stringify({ name: 'x'.repeat(20_000_000) });
    expectProblem(await post(big), 413);
    const token = 'token' in ours.tokens.admin ? ours.tokens.admin.token : '';
    const chunked = await fetch(`${api.url}/api/v1/teams`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: new Blob([big]).stream(),
      duplex: 'half',
    });
    expect(chunked.status).toBe(413);
  });

  test('a public operation reads at most 64 kB', async () => {
    const body = { organization: 'acme', token: 'x'.repeat(65_536) };
    expectProblem(await api.call('POST', '/api/v1/token-exchange', { body }), 413);
  });

  test('20 MB from nobody are refused before they are read', async () => {
    const body = JSON.stringify({ name: 'x'.repeat(20_000_000) });
    expectProblem(await api.call('POST', '/api/v1/teams', { body }), 403);
  });

  test.each([
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
    'application/json; charset=utf-16',
    'application/problem+json',
    'nonsense',
  ])('a body of type %s is 415', async (type) => {
    expectProblem(await post('{"name":"x"}', { 'content-type': type }), 415);
  });

  test('a field where none is taken is 422 at its place', async () => {
    const path = `/teams/${crypto.randomUUID()}`;
    expectProblem(await ours.tokens.admin.delete(path, { force: true }), 422, ['body.force']);
  });
});

describe('paths, queries and methods', () => {
  test('what is no id is 422 at path.id', async () => {
    for (const id of ['x', '%00', 'a'.repeat(500), '1%2F2']) {
      expectProblem(await ours.tokens.admin.delete(`/teams/${id}`), 422, ['path.id']);
    }
  });

  test('an unknown or unfit query is 422 at its place', async () => {
    expectProblem(await get('/api/v1/teams?colour=red'), 422, ['query.colour']);
    expectProblem(await get('/api/v1/audit-log?actor=%00'), 422, ['query.actor']);
    expectProblem(await get('/api/v1/audit-log?from=yesterday'), 422, ['query.from']);
    expectProblem(await get('/api/v1/version?x=1'), 422, ['query.x']);
  });

  test('all fields at fault are named at once', async () => {
    expectProblem(await get('/api/v1/audit-log?limit=0&from=x&y=1'), 422, ['query.from', 'query.limit', 'query.y']);
  });

  test('an unknown path is 404, whatever is sent there', async () => {
    expectProblem(await get('/api/v1/nothing'), 404);
    expectProblem(await api.call('POST', '/nothing', { body: {} }), 404);
    expectProblem(await get('/api/v1/teams/'), 404);
  });

  test('a path that cannot be decoded is 400', async () => {
    expectProblem(await get('/api/v1/teams/%E0%A4%A'), 400);
  });

  test('a method that the path does not know is 405 with Allow', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH', 'PROPFIND', 'TRACE']) {
      const answer = await raw(`${method} /api/v1/teams HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 405 /);
      expect(answer.toLowerCase()).toContain('allow: get, head, options, post'.split(', ').slice(0, 1).join());
    }
    const refused = await ours.tokens.admin.delete('/teams');
    expectProblem(refused, 405);
    expect(refused.headers.get('allow')?.split(', ').toSorted()).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST']);
  });

  test('what is no HTTP at all is answered as a problem', async () => {
    for (const [sent, status] of [
      ['FOO /api/v1/teams HTTP/1.1\r\nHost: localhost\r\n\r\n', 405],
      ['nonsense\r\n\r\n', 405],
      ['GET /api/v1/teams HTTP/1.1\r\nHost: localhost\r\nbad header\r\n\r\n', 400],
    ] as const) {
      const answer = await raw(sent);
      expect(answer).toContain(`HTTP/1.1 ${status} `);
      expect(answer).toContain('application/problem+json');
      expect(answer).toMatch(/X-Request-Id: [\w-]{36}/);
    }
  });

  test('HEAD answers as GET does, without a body', async () => {
    const head = await ours.tokens.admin.call('HEAD', '/teams');
    expect([head.status, head.text]).toEqual([200, '']);
    expect((await api.call('HEAD', '/api/v1/teams')).status).toBe(403);
    expect((await ours.tokens.admin.call('HEAD', '/events/stream')).status).toBe(200);
  });

  test('OPTIONS says what is allowed and lets no other site in', async () => {
    const options = await api.call('OPTIONS', '/api/v1/teams', { headers: { origin: 'https://evil.example' } });
    expect([options.status, options.text]).toEqual([204, '']);
    expect(options.headers.get('allow')).toContain('POST');
    expect([...options.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('answers', () => {
  test('carry $schema, X-Request-Id, limits and security headers', async () => {
    const { headers, body } = await get('/api/v1/teams');
    expect(body.$schema).toBe('urn:ballast:schema:PageOfTeam');
    expect(headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
    expect(headers.get('ratelimit-policy')).toBe('"credential";q=1000000;w=60');
    expect(headers.get('ratelimit')).toMatch(/^"credential";r=\d+;t=\d+$/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('a request id that a stranger sends is not taken over', async () => {
    const { headers } = await api.call('GET', '/api/v1/version', { headers: { 'x-request-id': 'mine-mine-mine' } });
    expect(headers.get('x-request-id')).not.toBe('mine-mine-mine');
  });

  test('no 401 anywhere, and 403 says what to do', async () => {
    for (const headers of [
      {},
      { authorization: 'Basic eDp5' },
      { authorization: 'Bearer' },
      { authorization: 'Bearer svc_' },
      { authorization: `Bearer svc_${'a'.repeat(5000)}_b` },
      { cookie: 'svc_session=' },
      { cookie: 'svc_session=a; svc_session=b' },
      { cookie: `svc_session=${'%00'}` },
    ] as Record<string, string>[]) {
      expectProblem(await api.call('GET', '/api/v1/teams', { headers }), 403);
    }
  });

  test('a connection that ends behind the answer is said to end, whatever the answer is', async () => {
    for (const path of ['/api/v1/version', '/api/v1/nothing', '/api/trpc/nothing', '/v2/a/b/c/blobs/d', '/nothing']) {
      for (const method of ['GET', 'HEAD']) {
        const said = await raw(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
        expect(said).toMatch(/^connection: close\r$/im);
      }
    }
  });

  test('an unknown host is 421', async () => {
    for (const host of ['evil.example', 'evil.example:80', '10.0.0.1', 'localhost.evil.example', '']) {
      const answer = await raw(`GET /api/v1/version HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      expect(answer).toContain('HTTP/1.1 421 ');
    }
    for (const host of ['localhost', 'LOCALHOST:1', 'console.localhost', '127.0.0.1:8088', '[::1]']) {
      const answer = await raw(`GET /api/v1/version HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      expect(answer).toContain('HTTP/1.1 200 ');
    }
  });
});

/** Sends raw text, as a client that is no browser can. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer)).on('error', reject);
    socket.write(text);
  });
}
