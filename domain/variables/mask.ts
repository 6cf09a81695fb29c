/** Stands in place of a secret value in what programs wrote. */
export const maskText = '[secret]';

/** Shorter values would mask half of what a program writes, and say by that what they are. */
export const shortestMasked = 6;

/** Puts a word in place of these values wherever a text has them, also spelled in base64, for an address or within JSON. */
export function maskOf(secrets: Iterable<string>): (text: string) => string {
  const spelled = new Set<string>();
  for (const secret of secrets) {
    // A log has them line by line.
    for (const part of new Set([secret, ...secret.split(/\r?\n/)])) {
      if (part.length >= shortestMasked) for (const one of spellingsOf(part)) spelled.add(one);
    }
  }
  // What contains another one goes first.
  const texts = [...spelled].toSorted((one, other) => other.length - one.length);
  return (text) => {
    let masked = text;
    for (const one of texts) if (masked.includes(one)) masked = masked.replaceAll(one, maskText);
    return masked;
  };
}

function spellingsOf(secret: string): string[] {
  const found = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), encodeURI(secret)];
  found.push(new URLSearchParams([['', secret]]).toString().slice(1));
  for (const encoding of ['base64', 'base64url'] as const) {
    found.push(Buffer.from(secret).toString(encoding));
    for (const before of [0, 1, 2]) {
      const core = withinBase64(secret, before, encoding);
      if (core.length >= shortestMasked) found.push(core);
    }
  }
  return found;
}

/** The part of the base64 of a longer text that this text alone decides, if it begins `before` bytes behind a group of three. */
function withinBase64(text: string, before: number, encoding: 'base64' | 'base64url'): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
  const whole = Math.floor((bytes.length * 8) / 6);
  return bytes.toString(encoding).slice(Math.ceil((before * 8) / 6), whole);
}
