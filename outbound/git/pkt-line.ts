import { OutboundFailed } from '../failures.ts';

/** What stands between the lines of git's protocol. */
export type Separator = 'flush' | 'delimiter' | 'end';
export type Packet = Buffer | Separator;

const separators: readonly Separator[] = ['flush', 'delimiter', 'end'];

/** Takes an answer apart: four hexadecimal digits say how long each line is, themselves included. */
export function parsePackets(bytes: Buffer, host: string): Packet[] {
  const packets: Packet[] = [];
  for (let at = 0; at < bytes.length; ) {
    const digits = bytes.toString('latin1', at, at + 4);
    const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1;
    const separator = separators[length];
    if (separator !== undefined) {
      packets.push(separator);
      at += 4;
      continue;
    }
    if (length < 4 || at + length > bytes.length) throw new OutboundFailed(`${host} does not speak git's protocol.`);
    packets.push(bytes.subarray(at + 4, at + length));
    at += length;
  }
  return packets;
}

/** A request: lines, and what stands between them. */
export function packetsOf(...parts: readonly (string | { is: Separator })[]): Buffer {
  const text = parts.map((part) =>
    typeof part === 'string'
      ? `${(Buffer.byteLength(part) + 5).toString(16).padStart(4, '0')}${part}\n`
      : `000${separators.indexOf(part.is)}`,
  );
  return Buffer.from(text.join(''));
}
