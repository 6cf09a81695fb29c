import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const packet = (text: string) => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;
const flush = '0000';
/** https://git-scm.com/docs/protocol-v2 */
const abilities = ['version 2', 'agent=git/2.40.0', 'ls-refs', 'fetch=shallow', 'object-format=sha1'];

/** A pack whose only object is a blob of that size; the zlib stream of it begins. https://git-scm.com/docs/gitformat-pack */
function beginOfPack(size: number): Buffer {
  const header = Buffer.from([...Buffer.from('PACK'), 0, 0, 0, 2, 0, 0, 0, 1]);
  const lengths = [(3 << 4) | (size % 16)];
  for (let left = Math.floor(size / 16); left > 0; left = Math.floor(left / 128)) {
    lengths[lengths.length - 1] = (lengths.at(-1) ?? 0) | 0x80;
    lengths.push(left % 128);
  }
  return Buffer.concat([header, Buffer.from([...lengths, 0x78, 0x01])]);
}

function banded(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from((bytes.length + 5).toString(16).padStart(4, '0')), Buffer.from([1]), bytes]);
}

/** As much as a packet takes: a block of deflate that is stored as it is, so that no one computes anything. */
function storedBlock(): Buffer {
  const content = randomBytes(65_510);
  const header = Buffer.alloc(5);
  header.writeUInt16LE(content.length, 1);
  header.writeUInt16LE(~content.length & 0xff_ff, 3);
  return banded(Buffer.concat([header, content]));
}

export interface EndlessRepository {
  url: string;
  /** Bytes of packs that were sent so far. */
  sent(): number;
  /** Connections that are open. */
  open(): Promise<number>;
  close(): Promise<void>;
}

/**
 * A host whose repositories have every commit that they are asked for, in a pack that goes on for `bytes`, or that pauses there
 * for ever if it is `stalled`: made as it is sent.
 */
export async function endlessRepository({ bytes, stalled = false }: { bytes: number; stalled?: boolean }) {
  let sent = 0;
  const block = storedBlock();
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      const told = [packet('# service=git-upload-pack\n'), flush, ...abilities.map((one) => packet(`${one}\n`)), flush];
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' }).end(told.join(''));
      return;
    }
    let asked = '';
    for await (const piece of request) asked += piece;
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
    if (!asked.includes('command=fetch')) return void response.end(flush);
    const [, commit = ''] = /want ([0-9a-f]{40})/.exec(asked) ?? [];
    const shallow = [packet('shallow-info\n'), packet(`shallow ${commit}\n`), '0001', packet('packfile\n')];
    response.write(Buffer.concat([Buffer.from(shallow.join('')), banded(beginOfPack(4 * bytes))]));
    await stream(response);
  });
  const stream = async (response: ServerResponse) => {
    // The reader is gone as soon as it has enough.
    await pipeline(Readable.from(blocks()), response, { end: false }).catch(() => undefined);
    if (!stalled) response.destroy();
  };
  function* blocks() {
    for (let here = 0; here < bytes; here += block.length) {
      sent += block.length;
      yield block;
    }
  }
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const made: EndlessRepository = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: () => sent,
    open: () =>
      new Promise((resolve, reject) => server.getConnections((no, count) => (no ? reject(no) : resolve(count)))),
    async close() {
      server.closeAllConnections();
      await new Promise((over) => server.close(over));
    },
  };
  return made;
}
