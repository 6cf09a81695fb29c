import { once } from 'node:events';
import { type ClientHttp2Session, connect, createServer } from 'node:http2';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { portOf } from '../../../../machine/test-ground.ts';
import { framed, messagesOf, unwrapped, wrapped } from '../buildkit/control.ts';
import { CallRefused, serveCalls } from './session.ts';

let client: ClientHttp2Session;
let taken: Buffer | undefined;

beforeEach(async () => {
  const server = createServer();
  server.on('session', (session) =>
    serveCalls(session, {
      single: {
        '/echo': (message) => Buffer.from(`${message} again`),
        '/refused': () => {
          throw new CallRefused(9, 'There is none.');
        },
      },
      sending: { '/context': () => pieces('one', 'two') },
      taking: {
        '/image': async (bytes) => {
          taken = await buffer(bytes);
        },
      },
    }),
  );
  client = connect(`http://127.0.0.1:${await portOf(server)}`);
  await once(client, 'connect');
});
afterEach(() => client.destroy());

async function* pieces(...texts: readonly (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

function call(path: string) {
  const stream = client.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  const status = new Promise<unknown>((resolve) => {
    stream.on('response', (headers) => headers['grpc-status'] !== undefined && resolve(headers['grpc-status']));
    stream.on('trailers', (headers) => resolve(headers['grpc-status']));
    stream.on('error', resolve);
  });
  return { stream, status };
}

test('a call is answered after its end, however late that comes, and not cancelled', async () => {
  const { stream, status } = call('/echo');
  stream.write(framed(Buffer.from('said')));
  // The server has read the message when it answers this.
  await promisify(client.ping.bind(client))();
  await promisify(client.ping.bind(client))();
  stream.end();
  expect((await buffer(stream)).subarray(5).toString()).toBe('said again');
  expect(await status).toBe('0');
});

test('what is refused, and what nobody serves, has its code', async () => {
  const refused = call('/refused');
  refused.stream.end(framed(Buffer.alloc(0)));
  expect(await refused.status).toBe('9');
  const absent = call('/nothing');
  absent.stream.end(framed(Buffer.alloc(0)));
  expect(await absent.status).toBe('12');
});

test('bytes are sent and taken as messages', async () => {
  const context = call('/context');
  expect((await buffer(unwrapped(context.stream, 1_000))).toString()).toBe('onetwo');
  expect(await context.status).toBe('0');
  const image = call('/image');
  for await (const message of wrapped(pieces('three', Buffer.alloc(3 * 2 ** 20, 'x')))) image.stream.write(message);
  image.stream.end();
  image.stream.resume();
  expect(await image.status).toBe('0');
  expect([taken?.length, taken?.subarray(0, 6).toString()]).toEqual([5 + 3 * 2 ** 20, 'threex']);
});

test('messages are whole wherever they are divided, and one that is cut off or too long is an error', async () => {
  const all = Buffer.concat([framed(Buffer.from('first')), framed(Buffer.alloc(0)), framed(Buffer.from('third'))]);
  const read = async (sent: AsyncIterable<Buffer>, largest = 100) => {
    const found: string[] = [];
    for await (const message of messagesOf(sent, largest)) found.push(message.toString());
    return found;
  };
  for (let at = 0; at <= all.length; at += 1)
    expect(await read(pieces(all.subarray(0, at), all.subarray(at)))).toEqual(['first', '', 'third']);
  await expect(read(pieces(all.subarray(0, all.length - 1)))).rejects.toThrow(/cut off/);
  await expect(read(pieces(framed(Buffer.alloc(200))))).rejects.toThrow(/too long/);
});
