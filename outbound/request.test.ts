import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { generate } from 'selfsigned';
import { describe, expect, test } from 'vitest';
import { portOf } from '../machine/test-ground.ts';
import { privateAddresses } from '../test/ground/private-addresses.ts';
import { OutboundFailed, OutboundRefused } from './failures.ts';
import { type FetchOptions, fetchPublic } from './request.ts';
import { type Resolve, reachOf } from './target.ts';

const loopback = ['127.0.0.0/8'];
const limits = { allowedRanges: loopback, maxBytes: 1000, timeoutMillis: 5000 };

const serve = (answer: RequestListener, server = createServer()) => portOf(server.on('request', answer));

const named =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

const fetched = (url: string, more: Partial<FetchOptions> = {}) => fetchPublic(url, { ...limits, ...more });
/** Without a range that is allowed: as an installation is by default. */
const strict = (url: string, more: Partial<FetchOptions> = {}) => fetched(url, { allowedRanges: [], ...more });

describe('addresses that nobody may reach', () => {
  test.each(privateAddresses)('https://%s/', async (host) => {
    await expect(strict(`https://${host}/`)).rejects.toThrow(/is a private address; .* OUTBOUND_ALLOWED_RANGES/);
    await expect(strict(`https://${host}:8443/`)).rejects.toThrow(OutboundRefused);
  });

  test.each(['[fe80::1%25eth0]', '[::1%25lo]', '1.2.3.4.5', '256.256.256.256', '0x100000000', ''])(
    'a host that is none: https://%s/',
    async (host) => {
      await expect(strict(`https://${host}/`)).rejects.toThrow('This is not a URL');
    },
  );

  test.each(['8.8.8.8', '1.1.1.1', '100.63.255.255', '100.128.0.1', '172.32.0.1', '2606:4700::1111', '2a00:1450::1'])(
    '%s is public',
    (address) => {
      expect(reachOf(address, [])).toBe('public');
    },
  );

  test('a range that is allowed covers the same address within IPv6, and nothing beside it', () => {
    expect(reachOf('10.1.2.3', ['10.1.0.0/16'])).toBe('allowed');
    expect(reachOf('::ffff:10.1.2.3', ['10.1.0.0/16'])).toBe('allowed');
    expect(reachOf('10.2.0.1', ['10.1.0.0/16'])).toBe('refused');
    expect(reachOf('fd00::1', ['fd00::/8', '192.0.2.7'])).toBe('allowed');
    expect(reachOf('192.0.2.7', ['fd00::/8', '192.0.2.7'])).toBe('allowed');
    expect(reachOf('192.0.2.8', ['fd00::/8', '192.0.2.7'])).toBe('refused');
  });
});

describe('names', () => {
  test('one private address among the public ones is enough to refuse', async () => {
    const refused = strict('https://issuer.example/', { resolve: named('8.8.8.8', '10.0.0.1') });
    await expect(refused).rejects.toThrow('issuer.example is a private address');
    await expect(strict('https://issuer.example/', { resolve: named('::ffff:10.0.0.1') })).rejects.toThrow(
      OutboundRefused,
    );
    await expect(strict('https://issuer.example/', { resolve: named('fe80::1%eth0') })).rejects.toThrow(
      OutboundRefused,
    );
    await expect(strict('https://localhost/')).rejects.toThrow('localhost is a private address');
  });

  test('a name that changes its mind is asked once, and the connection goes where the check was', async () => {
    let asked = 0;
    const port = await serve((_, answer) => answer.end('from the checked address'));
    const rebinding: Resolve = async () => {
      asked += 1;
      return [{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
    };
    const body = await fetched(`http://rebinding.example:${port}/`, { resolve: rebinding });
    expect([body.toString(), asked]).toEqual(['from the checked address', 1]);
  });

  test('a name without an address says so', async () => {
    await expect(strict('https://no-such-host.invalid/')).rejects.toThrow(
      'The host no-such-host.invalid has no address; check its name.',
    );
  });
});

describe('addresses that are spelt otherwise', () => {
  test.each([
    ['http://8.8.8.8/', 'must be reached by https://'],
    ['ftp://example.com/', 'must begin with https://, not ftp:'],
    ['file:///etc/passwd', 'must begin with https://, not file:'],
    ['https://user@example.com/', 'no user name'],
    ['https://:secret@example.com/', 'no user name'],
    ['example.com', 'This is not a URL'],
  ])('%s', async (url, why) => {
    await expect(fetched(url)).rejects.toThrow(why);
  });

  test('plain http is for allowed ranges only, whatever the name says', async () => {
    const resolve = named('8.8.8.8', '127.0.0.1');
    await expect(fetched('http://issuer.example/', { resolve })).rejects.toThrow('must be reached by https://');
    await expect(strict('http://issuer.example/')).rejects.toThrow('must be reached by https://');
  });
});

describe('answers', () => {
  test('what is there is returned, asked for without cookies and compression', async () => {
    const headers: unknown[] = [];
    const port = await serve((request, answer) => {
      headers.push(request.headers);
      answer.end('{}');
    });
    const body = await fetched(`http://127.0.0.1:${port}/x`, { accept: 'application/json' });
    expect(body.toString()).toBe('{}');
    expect(headers).toEqual([
      {
        host: `127.0.0.1:${port}`,
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'ballast',
        connection: 'close',
      },
    ]);
  });

  test('a redirect is not followed', async () => {
    let asked = 0;
    const port = await serve((_, answer) => {
      asked += 1;
      answer.writeHead(302, { location: '/elsewhere' }).end();
    });
    await expect(fetched(`http://127.0.0.1:${port}/`)).rejects.toThrow('answered with a redirect');
    expect(asked).toBe(1);
  });

  test('neither is anything but 200 taken for an answer', async () => {
    const port = await serve((_, answer) => answer.writeHead(404).end());
    await expect(fetched(`http://127.0.0.1:${port}/`)).rejects.toThrow('answered 404 instead of 200');
  });

  test.each([
    ['announced', { 'content-length': '100000' }],
    ['not announced', {}],
  ])('a body that is too large, %s', async (_, headers) => {
    const port = await serve((_request, answer) => {
      answer.writeHead(200, headers);
      answer.on('error', () => undefined);
      answer.end('x'.repeat(100_000));
    });
    await expect(fetched(`http://127.0.0.1:${port}/`)).rejects.toThrow('more than 1000 bytes');
  });

  test.each([
    ['says nothing', () => undefined],
    ['sends headers only', (answer: Parameters<RequestListener>[1]) => void answer.writeHead(200).flushHeaders()],
    [
      'drips',
      (answer: Parameters<RequestListener>[1]) => {
        const dripping = setInterval(() => answer.write('.'), 20);
        answer.on('close', () => clearInterval(dripping));
      },
    ],
  ])('a server that %s is left when the time is up', async (_, behave) => {
    const left = Promise.withResolvers<void>();
    const port = await serve((_request, answer) => {
      answer.on('close', () => left.resolve());
      behave(answer);
    });
    const slow = fetched(`http://127.0.0.1:${port}/`, { timeoutMillis: 200 });
    await expect(slow).rejects.toThrow('did not answer within 0.2 s');
    await left.promise;
  });

  test('a name that is slow to resolve counts, too', async () => {
    const slow = fetched('https://slow.example/', { timeoutMillis: 50, resolve: () => new Promise(() => undefined) });
    await expect(slow).rejects.toThrow(OutboundFailed);
  });

  test('an answer that breaks off, and a port that nobody listens on', async () => {
    const server = createServer();
    const port = await serve((_, answer) => {
      answer.writeHead(200, { 'content-length': '500' }).write('half');
      setImmediate(() => answer.destroy());
    }, server);
    await expect(fetched(`http://127.0.0.1:${port}/`)).rejects.toThrow(/broke off|could not be reached/);
    server.close();
    await expect(fetched(`http://127.0.0.1:${port}/`)).rejects.toThrow('could not be reached: ECONNREFUSED.');
  });
});

describe('https', () => {
  test('the certificate must be good for the name, although the connection goes to an address', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'issuer.example' }], {
      keySize: 2048,
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'issuer.example' }] }],
    });
    const port = await serve((_, answer) => answer.end('trusted'), createTlsServer({ key, cert }));
    const resolve = named('127.0.0.1');
    const good = () => fetched(`https://issuer.example:${port}/`, { resolve });
    await expect(good()).rejects.toThrow('which is not trusted; the owner of the installation can add');
    const before = getCACertificates();
    setDefaultCACertificates([...before, cert]);
    try {
      expect((await good()).toString()).toBe('trusted');
      const other = fetched(`https://other.example:${port}/`, { resolve });
      await expect(other).rejects.toThrow('could not be reached: its certificate is for another name');
    } finally {
      setDefaultCACertificates(before);
    }
  });
});
