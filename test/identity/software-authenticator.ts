import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

interface Options {
  challenge: string;
  /** The claimed origin, if not the true one. */
  origin?: string;
  userVerified?: boolean;
}

/** A passkey in software: attestation `none`, ES256. It answers as a browser's script sends it. */
export class SoftwareAuthenticator {
  readonly #id = randomBytes(32);
  readonly #keys: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #origin: string;
  #counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
  }

  create({ challenge, origin, userVerified = true }: Options): string {
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' });
    // COSE: kty EC2, alg ES256, crv P-256, x, y.
    const key = Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
      Buffer.from(String(x), 'base64url'),
      Buffer.from([0x22, 0x58, 0x20]),
      Buffer.from(String(y), 'base64url'),
    ]);
    const length = Buffer.from([this.#id.length >> 8, this.#id.length & 255]);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.#id, key]);
    const data = Buffer.concat([this.#data(0x40, userVerified), credential]);
    return this.#answer({
      clientDataJSON: this.#said('webauthn.create', challenge, origin),
      attestationObject: Buffer.concat([
        Buffer.from([0xa3]),
        ...[cborText('fmt'), cborText('none'), cborText('attStmt'), Buffer.from([0xa0]), cborText('authData')],
        Buffer.from([0x59, data.length >> 8, data.length & 255]),
        data,
      ]),
    });
  }

  get({ challenge, origin, userVerified = true }: Options): string {
    const said = this.#said('webauthn.get', challenge, origin);
    const data = this.#data(0, userVerified);
    const signature = createSign('sha256')
      .update(data)
      .update(createHash('sha256').update(said).digest())
      .sign(this.#keys.privateKey);
    return this.#answer({ clientDataJSON: said, authenticatorData: data, signature });
  }

  #said(type: string, challenge: string, origin = this.#origin): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  #data(flags: number, userVerified: boolean): Buffer {
    this.#counter += 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#counter);
    const party = createHash('sha256').update(new URL(this.#origin).hostname).digest();
    return Buffer.concat([party, Buffer.from([flags | 0x01 | (userVerified ? 0x04 : 0)]), counter]);
  }

  #answer(response: Record<string, Buffer>): string {
    const id = this.#id.toString('base64url');
    const texts = Object.entries(response).map(([name, bytes]) => [name, bytes.toString('base64url')]);
    return JSON.stringify({
      id,
      rawId: id,
      type: 'public-key',
      response: Object.fromEntries(texts),
      clientExtensionResults: {},
    });
  }
}

/** The challenge that a page gives to its script. */
export function challengeIn(text: string): string {
  const challenge = /&#34;challenge&#34;:&#34;([\w-]+)&#34;/.exec(text)?.[1];
  if (challenge === undefined) throw new Error('The page asks for no passkey.');
  return challenge;
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}
