import type { Payload, PayloadCodec } from '@temporalio/common';

/**
 * Decodes every payload of a history in its place, so that a replay needs no key, and takes out who the workers were.
 * `keeps`: a payload with this text stays as it is, sealed.
 */
export async function inPlain(value: unknown, codec: PayloadCodec, keeps: (text: string) => boolean): Promise<void> {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  if (isPayload(value)) {
    // One whose key is missing stays sealed as well.
    const [payload] = await codec.decode([value]).catch(() => []);
    if (payload && !keeps(Buffer.from(payload.data ?? []).toString('utf8'))) Object.assign(value, payload);
    return;
  }
  if ('identity' in value && typeof value.identity === 'string') value.identity = 'recorded';
  for (const part of Object.values(value)) await inPlain(part, codec, keeps);
}

export function isPayload(value: object): value is Payload {
  const metadata: unknown = 'metadata' in value ? value.metadata : undefined;
  return typeof metadata === 'object' && metadata !== null && 'encoding' in metadata;
}
