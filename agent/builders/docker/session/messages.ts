/** The few messages of protocol buffers that BuildKit and we exchange: fields by their numbers, nothing more. */
export type Fields = ReadonlyMap<number, readonly (Buffer | number)[]>;

/** Reads one message. Numbers are as large as a double holds, which times and counts are. */
export function readFields(bytes: Buffer): Fields {
  const fields = new Map<number, (Buffer | number)[]>();
  let at = 0;
  const number = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('A message of BuildKit is cut off.');
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  const taken = (length: number) => {
    if (at + length > bytes.length) throw new Error('A message of BuildKit is cut off.');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = number();
    const [field, kind] = [Math.floor(tag / 8), tag % 8];
    const value = fieldOf(kind, number, taken);
    const known = fields.get(field);
    if (known === undefined) fields.set(field, [value]);
    else known.push(value);
  }
  return fields;
}

function fieldOf(kind: number, number: () => number, taken: (length: number) => Buffer): Buffer | number {
  if (kind === 0) return number();
  if (kind === 1) return taken(8);
  if (kind === 2) return taken(number());
  if (kind === 5) return taken(4);
  throw new Error('A message of BuildKit is of no known form.');
}

export function textIn(fields: Fields, field: number): string {
  const value = fields.get(field)?.at(-1);
  return Buffer.isBuffer(value) ? value.toString('utf8') : '';
}

export function numberIn(fields: Fields, field: number): number {
  const value = fields.get(field)?.at(-1);
  return typeof value === 'number' ? value : 0;
}

export function messagesIn(fields: Fields, field: number): Fields[] {
  return (fields.get(field) ?? []).flatMap((value) => (Buffer.isBuffer(value) ? [readFields(value)] : []));
}

/** A field that holds bytes. */
export function bytesField(field: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
}

/** A field that holds a number. */
export function numberField(field: number, value: number): Buffer {
  return Buffer.concat([varint(field * 8), varint(value)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  return Buffer.from([...bytes, left]);
}
