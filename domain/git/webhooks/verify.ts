import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { GitProvider } from '../connections.ts';

/** The headers of a message, with names in lower case. */
export type DeliveryHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** How a message says that its host knows the secret. `none`: nothing in it does, so its body need not be read. */
export type Proof =
  | { kind: 'hmac'; signature: string }
  | { kind: 'token'; token: string }
  | { kind: 'plain'; seconds: number; signatures: string[] }
  | { kind: 'none' };

/** A message of ours is refused when its time is further away. */
export const plainSeconds = 300;

const inHeaders: Readonly<Record<GitProvider, readonly string[]>> = {
  github: ['x-hub-signature-256'],
  gitea: ['x-forgejo-signature', 'x-gitea-signature', 'x-hub-signature-256'],
  gitlab: [],
  plain: [],
};

/** The plain signature is taken from every host: a script can tell of pushes where a webhook cannot. */
export function proofOf(provider: GitProvider, headers: DeliveryHeaders): Proof {
  const plain = textOf(headers['x-ballast-signature']);
  if (plain !== undefined) return plainProof(plain);
  if (provider === 'gitlab') {
    const token = textOf(headers['x-gitlab-token']);
    return token === undefined ? { kind: 'none' } : { kind: 'token', token };
  }
  for (const name of inHeaders[provider]) {
    const signature = /^(?:sha256=)?([0-9a-f]{64})$/i.exec(textOf(headers[name]) ?? '')?.[1];
    if (signature !== undefined) return { kind: 'hmac', signature: signature.toLowerCase() };
  }
  return { kind: 'none' };
}

/** `t=1700000000,v1=<hex>`; a second `v1` is that of a secret that is being replaced. */
function plainProof(text: string): Proof {
  const fields = text.split(',', 5).map((field) => field.trim());
  const seconds = fields.map((field) => /^t=(\d{1,12})$/.exec(field)?.[1]).find((one) => one !== undefined);
  const signatures = fields.flatMap((field) => /^v1=([0-9a-f]{64})$/i.exec(field)?.[1]?.toLowerCase() ?? []);
  if (seconds === undefined || signatures.length === 0) return { kind: 'none' };
  return { kind: 'plain', seconds: Number(seconds), signatures };
}

/** Whether the message comes from who knows the secret, over the bytes as they came; in constant time. */
export function isProved(proof: Proof, secret: string, body: Buffer, nowMillis: number): boolean {
  if (secret === '') return false;
  switch (proof.kind) {
    case 'none':
      return false;
    case 'token':
      return sameText(proof.token, secret);
    case 'hmac':
      return sameText(proof.signature, hmac(secret, body));
    case 'plain': {
      if (Math.abs(nowMillis / 1000 - proof.seconds) > plainSeconds) return false;
      const expected = hmac(secret, Buffer.from(`${proof.seconds}.`), body);
      return proof.signatures.map((one) => sameText(one, expected)).includes(true);
    }
  }
}

/**
 * The name under which a message is remembered. Of a signed one it follows from what was signed: its header is not, so whoever
 * has caught a message could send it once more under another name. GitLab signs nothing and names the message itself.
 */
export function deliveryName(proof: Proof, headers: DeliveryHeaders, body: Buffer): string {
  if (proof.kind === 'token') {
    const given = textOf(headers['idempotency-key']) ?? textOf(headers['x-gitlab-event-uuid']);
    if (given !== undefined && /^[\w.:-]{8,200}$/.test(given)) return given;
  }
  const time = proof.kind === 'plain' ? `${proof.seconds}.` : '';
  return `sha256:${createHash('sha256').update(time).update(body).digest('hex')}`;
}

function hmac(secret: string, ...parts: readonly Buffer[]): string {
  const mac = createHmac('sha256', secret);
  for (const part of parts) mac.update(part);
  return mac.digest('hex');
}

/** Of texts of any length: their digests have the same. */
function sameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

function textOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= 1_000 ? value : undefined;
}
