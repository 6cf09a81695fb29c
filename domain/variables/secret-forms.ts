/** Of values with more lines these are sought as they are and within JSON only: files, not keys. */
const mostLines = 200;

/** The values as programs spell them: alone, line by line, and within texts of other kinds. */
export function formsOf(secrets: Iterable<string>): string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    for (const form of spellingsOf(secret)) forms.add(form);
    // A log has them line by line.
    const lines = secret.split(/\r\n|\n|\r/);
    if (lines.length === 1) continue;
    for (const line of lines)
      for (const form of lines.length > mostLines ? [line, ...withinJson(line)] : spellingsOf(line)) forms.add(form);
  }
  return [...forms];
}

function spellingsOf(secret: string): string[] {
  const found = [secret, ...withinJson(secret), secret.replaceAll("'", "'\\''")];
  const forAddresses = [encodeURIComponent, encodeURI, asParameter, everySign].map((encode) =>
    encode(wellFormed(secret)),
  );
  found.push(
    ...forAddresses,
    ...forAddresses.map((text) => text.replaceAll(/%[0-9A-F]{2}/g, (one) => one.toLowerCase())),
  );
  const bytes = Buffer.from(secret);
  found.push(bytes.toString('hex'), bytes.toString('hex').toUpperCase());
  for (const encoding of ['base64', 'base64url'] as const) {
    found.push(bytes.toString(encoding));
    for (const before of [0, 1, 2]) found.push(withinBase64(bytes, before, encoding));
  }
  return found;
}

/** Half of a pair has no form in an address. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}

function asParameter(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** RFC 3986, to the letter: what is neither a letter, a digit nor one of four signs. */
function everySign(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** As JavaScript, Go and PHP write it, without signs beyond ASCII, and within a text of JSON that is itself one. */
function withinJson(text: string): string[] {
  const plain = escaped(text);
  const ascii = plain.replaceAll(/[^\0-~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const go = plain.replaceAll(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
  return [plain, ascii, go, plain.replaceAll('/', '\\/'), escaped(plain)];
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The part of the base64 of a longer text that this text alone decides, if it begins `before` bytes behind a group of three. */
function withinBase64(text: Buffer, before: number, encoding: 'base64' | 'base64url'): string {
  const bytes = Buffer.concat([Buffer.alloc(before), text]);
  const whole = Math.floor((bytes.length * 8) / 6);
  return bytes.toString(encoding).slice(Math.ceil((before * 8) / 6), whole);
}
