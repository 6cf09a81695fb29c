import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import { ValueError } from '@temporalio/common';
import proto from '@temporalio/proto';

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

/** Where the key of payloads comes from; the keyring in `db` has this shape. */
export interface PayloadKeys {
  current(): Promise<PayloadKey>;
  /** The key of that id; rejects when there is none. */
  byId(id: string): Promise<Buffer>;
}

export interface PayloadKey {
  id: string;
  key: Buffer;
}

const encoding = 'binary/ballast-encrypted';
const cipher = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;

/** A payload that cannot be read: the message says which key it wants and where that key belongs. */
export class UnreadablePayload extends ValueError {}

/**
 * Encrypts what goes through Temporal with AES-256-GCM. Each payload names its key, which is also authenticated, so a
 * payload cannot be moved to another key. Payloads of another encoding pass through: the server makes some itself.
 */
export function payloadCodec(keys: PayloadKeys): PayloadCodec {
  return {
    async encode(payloads) {
      if (payloads.length === 0) return [];
      const { id, key } = await keys.current();
      return payloads.map((payload) => encrypt(payload, id, key));
    },
    decode: (payloads) => Promise.all(payloads.map((payload) => decrypt(payload, keys))),
  };
}

/** The converter that every client and worker of ours uses. */
export function dataConverter(keys: PayloadKeys): DataConverter {
  return { failureConverterPath, payloadCodecs: [payloadCodec(keys)] };
}

export const failureConverterPath = fileURLToPath(new URL('./failure-converter.ts', import.meta.url));

function encrypt(payload: Payload, id: string, key: Buffer): Payload {
  const nonce = randomBytes(nonceLength);
  const sealing = createCipheriv(cipher, keyObject(key), nonce, { authTagLength: tagLength });
  sealing.setAAD(Buffer.from(id));
  const sealed = Buffer.concat([sealing.update(PayloadMessage.encode(payload).finish()), sealing.final()]);
  return {
    metadata: { encoding: Buffer.from(encoding), key: Buffer.from(id) },
    data: Buffer.concat([nonce, sealing.getAuthTag(), sealed]),
  };
}

async function decrypt(payload: Payload, keys: PayloadKeys): Promise<Payload> {
  if (textOf(payload.metadata?.encoding) !== encoding) return payload;
  const id = textOf(payload.metadata?.key);
  const key = await keys.byId(id).catch((cause: unknown) => {
    throw new UnreadablePayload(
      `A payload is encrypted with the key ${JSON.stringify(id)}, which is not available; restore the keys file and the database of the installation that wrote it.`,
      cause,
    );
  });
  const data = Buffer.from(payload.data ?? []);
  try {
    const opening = createDecipheriv(cipher, keyObject(key), data.subarray(0, nonceLength), {
      authTagLength: tagLength,
    });
    opening.setAAD(Buffer.from(id));
    opening.setAuthTag(data.subarray(nonceLength, nonceLength + tagLength));
    const opened = Buffer.concat([opening.update(data.subarray(nonceLength + tagLength)), opening.final()]);
    return PayloadMessage.decode(opened);
  } catch (cause) {
    throw new UnreadablePayload(
      `A payload cannot be decrypted with its key ${JSON.stringify(id)}; it was altered after it was written.`,
      cause,
    );
  }
}

const keyObjects = new WeakMap<Buffer, KeyObject>();

/** Made once for each key: with the bytes, a cipher costs two and a half times as much. */
function keyObject(key: Buffer): KeyObject {
  const known = keyObjects.get(key) ?? createSecretKey(key);
  keyObjects.set(key, known);
  return known;
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return bytes ? Buffer.from(bytes).toString('utf8') : '';
}
