import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { privateAddresses } from '../test/ground/private-addresses.ts';
import { receiver } from '../test/ground/receiver.ts';
import { OutboundFailed, OutboundRefused } from './failures.ts';
import { type PostOptions, postPublic } from './request.ts';
import type { Resolve } from './target.ts';

const secretPath = '/services/T0001/B0001/hunter2';
const named =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
const strangers: Server[] = [];
const there = await receiver('127.0.0.1', 'localhost', 'chat.example');
afterEach(() => {
  for (const stranger of strangers.splice(0)) stranger.close();
  there.reset();
});
afterAll(() => there.close());

const posted = (address: string, more: Partial<PostOptions> = {}) =>
  postPublic(address, { ...there.rules, maxBytes: 1000, timeoutMillis: 5000, json: { text: 'hello' }, ...more });
const chat = () => `https://chat.example:${there.port}${secretPath}`;

/** A port of the receiver's number on another address of this machine, where nobody may come. */
async function stranger(address: string): Promise<{ connections: number }> {
  const seen = { connections: 0 };
  const server = createServer((socket) => {
    seen.connections += 1;
    socket.destroy();
  });
  strangers.push(server);
  server.listen(there.port, address);
  await once(server, 'listening');
  return seen;
}

describe('addresses', () => {
  test.each(privateAddresses)('https://%s/ is refused', async (host) => {
    await expect(posted(`https://${host}/`, { allowedRanges: [] })).rejects.toThrow(
      /is a private address; .* OUTBOUND_ALLOWED_RANGES/,
    );
    await expect(posted(`https://${host}:8443/`, { allowedRanges: [] })).rejects.toThrow(OutboundRefused);
  });

  test.each([
    ['http://8.8.8.8/', '8.8.8.8 must be reached by https://.'],
    ['http://127.0.0.1/', '127.0.0.1 must be reached by https://.'],
    ['http://chat.example/', 'chat.example must be reached by https://.'],
    ['ftp://chat.example/', 'must begin with https://'],
    ['https://user@chat.example/', 'no user name'],
    ['https://:secret@chat.example/', 'no user name'],
    ['chat.example', 'This is not a URL'],
  ])('%s is refused, in allowed ranges, too', async (url, why) => {
    const refused = posted(url, { resolve: named('127.0.0.1') });
    await expect(refused).rejects.toThrow(why);
    await expect(refused).rejects.toThrow(OutboundRefused);
  });

  test('a host with private and other addresses is reached at the others alone', async () => {
    const never = await stranger('127.0.0.2');
    const allowedRanges = ['127.0.0.1/32'];
    for (const addresses of [
      ['127.0.0.2', '127.0.0.1'],
      ['::1', '127.0.0.1', '127.0.0.2', 'fe80::1%eth0'],
    ]) {
      expect((await posted(chat(), { allowedRanges, resolve: named(...addresses) })).status).toBe(200);
    }
    expect([there.requests.length, never.connections]).toEqual([2, 0]);
  });

  test('a host with private addresses only is refused', async () => {
    const refused = posted(chat(), { allowedRanges: [], resolve: named('10.0.0.1', '::1', '169.254.169.254') });
    await expect(refused).rejects.toThrow('chat.example is a private address');
    await expect(refused).rejects.toThrow(OutboundRefused);
  });

  test('a name that changes its address after the check is asked once, and reached where the check was', async () => {
    const never = await stranger('127.0.0.2');
    let asked = 0;
    const rebinding: Resolve = async () => {
      asked += 1;
      return [{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
    };
    expect((await posted(chat(), { resolve: rebinding })).status).toBe(200);
    expect([asked, never.connections]).toEqual([1, 0]);
    const refused = posted(chat(), { allowedRanges: ['127.0.0.1/32'], resolve: rebinding });
    await expect(refused).rejects.toThrow(OutboundRefused);
    expect(never.connections).toBe(0);
  });
});

describe('certificates', () => {
  const resolve = named('127.0.0.1');

  test('one of an authority of ours is accepted for its name', async () => {
    expect((await posted(chat(), { resolve })).status).toBe(200);
    expect((await posted(there.url('/'))).status).toBe(200);
  });

  test('without that authority it is refused, and nothing is sent', async () => {
    const refused = posted(chat(), { resolve, certificateAuthorities: undefined });
    await expect(refused).rejects.toThrow(
      /could not be reached: its certificate is signed by "Authority [-\w]+", which is not trusted/,
    );
    expect(there.requests).toEqual([]);
  });

  test('with that authority another name is refused all the same', async () => {
    const refused = posted(`https://other.example:${there.port}${secretPath}`, { resolve });
    await expect(refused).rejects.toThrow(
      `other.example:${there.port} could not be reached: its certificate is for another name; use the name that the certificate has.`,
    );
    expect(there.requests).toEqual([]);
  });
});

describe('the request', () => {
  test('is JSON, over a connection of its own, without cookies and compression', async () => {
    await posted(there.url('/services/x?thread=1'), { json: { text: 'Grüße 🚢' } });
    expect(there.requests).toEqual([
      {
        method: 'POST',
        path: '/services/x?thread=1',
        headers: {
          host: `127.0.0.1:${there.port}`,
          accept: '*/*',
          'accept-encoding': 'identity',
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength('{"text":"Grüße 🚢"}')),
          'user-agent': 'ballast',
          connection: 'close',
        },
        body: { text: 'Grüße 🚢' },
      },
    ]);
  });
});

describe('answers', () => {
  test.each([200, 202, 204, 301, 302, 307, 308, 400, 404, 410, 429, 500, 503])(
    '%i is answered as it is',
    async (status) => {
      there.answers({ status, headers: { location: there.url('/elsewhere'), 'retry-after': '7' } });
      const answer = await posted(there.url('/x'));
      expect([answer.status, answer.headers['retry-after']]).toEqual([status, '7']);
      expect(there.requests.map(({ path }) => path)).toEqual(['/x']);
    },
  );

  test.each([
    ['announced', { 'content-length': '100000' }],
    ['not announced', {}],
  ])('a body that is too long, %s, is cut, and the status counts', async (_, headers) => {
    const left = Promise.withResolvers<void>();
    there.answers((_request, response) => {
      response.on('close', () => left.resolve()).on('error', () => undefined);
      response.writeHead(200, headers);
      response.write('x'.repeat(10_000));
    });
    const { status, body } = await posted(there.url('/x'));
    expect(status).toBe(200);
    expect(body.length).toBeLessThanOrEqual(1000);
    await left.promise;
  });

  test('a body that fits is answered whole', async () => {
    there.answers({ status: 200, body: 'y'.repeat(1000) });
    expect((await posted(there.url('/x'))).body.toString()).toBe('y'.repeat(1000));
  });

  test('a body that breaks off is no failure either', async () => {
    there.answers((_request, response) => {
      response.writeHead(200, { 'content-length': '500' });
      response.write('half', () => response.destroy());
    });
    expect((await posted(there.url('/x'))).status).toBe(200);
  });

  test('without a status there is no answer: silence, a cut connection, a name that is slow, a closed port', async () => {
    there.answers('hang', 'cut');
    await expect(posted(there.url(secretPath), { timeoutMillis: 300 })).rejects.toThrow('did not answer within 0.3 s');
    await expect(posted(there.url(secretPath))).rejects.toThrow('could not be reached: ECONNRESET.');
    const slow = posted(chat(), { timeoutMillis: 50, resolve: () => new Promise(() => undefined) });
    await expect(slow).rejects.toThrow(OutboundFailed);
    const closed = await receiver();
    await closed.close();
    await expect(posted(closed.url(secretPath))).rejects.toThrow('could not be reached: ECONNREFUSED.');
  });
});

describe('of a status that never comes, within the bounds of an answer', () => {
  test('thousands of headers are a failure', async () => {
    there.answers((_, response) => {
      for (let number = 0; number < 3_000; number += 1) response.setHeader(`x-${number}`, 'a'.repeat(20));
      response.writeHead(200).end();
    });
    await expect(posted(there.url(secretPath))).rejects.toThrow('could not be reached: HPE_HEADER_OVERFLOW.');
  });

  test('answers that are none yet (1xx) last no longer than the others', async () => {
    let left = false;
    there.answers((_, response) => {
      const again = (): void => {
        if (left) return;
        response.writeEarlyHints({ link: '</a>; rel=preload' }, () => setImmediate(again));
      };
      response.on('close', () => {
        left = true;
      });
      again();
    });
    await expect(posted(there.url(secretPath), { timeoutMillis: 300 })).rejects.toThrow('did not answer within 0.3 s');
  });

  test('a status that comes byte by byte does not either', async () => {
    there.answers((_, response) => {
      const { socket } = response;
      const drip = setInterval(() => socket?.write('H'), 20);
      socket?.on('close', () => clearInterval(drip));
      socket?.write('HTTP/1.1 200 OK\r\nx-');
    });
    await expect(posted(there.url(secretPath), { timeoutMillis: 300 })).rejects.toThrow('did not answer within 0.3 s');
  });
});

test('no failure tells the path, where the secret of a channel is', async () => {
  const at = `:${there.port}${secretPath}`;
  there.answers('hang', 'cut');
  const failures = [
    posted(`https://127.0.0.1${at}`, { timeoutMillis: 300 }),
    posted(`https://127.0.0.1${at}`),
    posted(`https://127.0.0.1${at}`, { certificateAuthorities: undefined }),
    posted(`https://127.0.0.1${at}`, { allowedRanges: [] }),
    posted(`https://other.example${at}`, { resolve: named('127.0.0.1') }),
    posted(`https://chat.example${at}`, { resolve: named() }),
    posted(`https://no-such-host.invalid${at}`),
    posted(`http://127.0.0.1${at}`),
    posted(`https://hunter2@127.0.0.1${at}`),
    posted(`https://[${secretPath}`),
  ];
  for (const { status, reason } of (await Promise.allSettled(failures)) as PromiseRejectedResult[]) {
    expect(status).toBe('rejected');
    expect(`${reason.stack} ${JSON.stringify(reason)} ${String(reason.cause)}`).not.toMatch(/hunter2|T0001/);
    expect(reason instanceof OutboundFailed || reason instanceof OutboundRefused, reason.stack).toBe(true);
  }
});
