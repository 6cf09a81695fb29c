import { expect, test } from 'vitest';
import { clientOf } from './client-limits.ts';
import { toClient, toInstance } from './headers.ts';

const sender = {
  address: '203.0.113.7',
  client: '203.0.113.7',
  authority: 'app.localhost',
  trusted: false,
  requestId: 'id',
};

function names(headers: readonly string[]): string[] {
  return headers.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
}

test('every Connection header is honoured, in both directions', () => {
  const given = ['Connection', 'keep-alive', 'connection', ' X-One ,x-two', 'CONNECTION', 'X-Three', 'Connection', ''];
  const named = ['X-One', '1', 'x-two', '2', 'X-Three', '3', 'X-Four', '4'];
  expect(
    names(toInstance([...given, ...named], sender)).filter((name) => /^x-(one|two|three|four)$/.test(name)),
  ).toEqual(['x-four']);
  expect(toClient([...named, ...given], 200)).toEqual(['X-Four', '4']);
});

test('a Connection header takes nothing away that the ingress sets itself', () => {
  const headers = toInstance(['Connection', 'close, X-Forwarded-For, X-Request-Id, X-Real-IP', 'A', 'b'], sender);
  expect(names(headers)).toEqual(
    expect.arrayContaining([
      'a',
      'x-forwarded-for',
      'x-forwarded-proto',
      'x-forwarded-host',
      'x-real-ip',
      'x-request-id',
    ]),
  );
});

test.each([
  'Proxy',
  'X-Original-URL',
  'X_Original_URL',
  'X-Rewrite-URL',
  'X-Original-URI',
  'X-Original-Host',
  'X-Host',
  'True-Client-IP',
  'CF-Connecting-IP',
  'X-Cluster-Client-IP',
  'X-Client-IP',
  'Client-IP',
  'Forwarded',
  'X-Forwarded',
  'X-Forwarded-By',
  'X-Forwarded-Uri',
  'x_forwarded_port',
  'X-Envoy-External-Address',
])('a stranger cannot set %s', (name) => {
  for (const trusted of [false, true]) {
    expect(toInstance([name, 'stranger', 'Accept', '*/*'], { ...sender, trusted }).join()).not.toContain('stranger');
  }
});

test.each(['X-Forwarded-For', 'X-Forwarded-Proto', 'X-Forwarded-Host', 'X-Real-IP'])(
  '%s is set by the ingress',
  (name) => {
    const headers = toInstance([name, 'stranger', name.toLowerCase(), 'again'], sender);
    expect(headers.join()).not.toMatch(/stranger|again/);
    expect(names(headers).filter((one) => one === name.toLowerCase())).toHaveLength(1);
  },
);

test('the client that a trusted proxy names is the real one', () => {
  const headers = toInstance(['X-Forwarded-For', '198.51.100.1', 'X-Real-IP', '6.6.6.6'], {
    ...sender,
    trusted: true,
    client: '198.51.100.1',
  });
  expect(headers.join()).toContain('X-Forwarded-For,198.51.100.1, 203.0.113.7');
  expect(headers.join()).toContain('X-Real-IP,198.51.100.1');
});

test.each([
  ['192.0.2.1', [], '192.0.2.1'],
  ['203.0.113.7', ['X-Forwarded-For', '198.51.100.1'], '203.0.113.7'],
  ['192.0.2.1', ['X-Forwarded-For', '6.6.6.6, 198.51.100.1'], '198.51.100.1'],
  ['192.0.2.1', ['x-forwarded-for', '6.6.6.6', 'X-Forwarded-For', '198.51.100.1, ::ffff:192.0.2.2'], '198.51.100.1'],
  ['192.0.2.1', ['X-Forwarded-For', '198.51.100.1, unknown'], '192.0.2.1'],
  ['192.0.2.1', ['X-Forwarded-For', '192.0.2.3'], '192.0.2.3'],
])('behind %s with %j the client is %s', (address, headers, client) => {
  expect(clientOf({ address, headers }, (one) => one.startsWith('192.0.2.'))).toBe(client);
});
