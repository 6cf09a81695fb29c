/** Stands in place of a secret value in what programs wrote. */
export const maskText = '[secret]';

/** Shorter values would mask half of what a program writes, and say by that what they are. */
export const shortestMasked = 6;

/** Of values that begin alike, looked at for each sign of a text on average, before the text is withheld as a whole. */
const mostLooks = 20;

/** So few are sought in a line faster one by one, and most lines have none. */
const fewTexts = 100;

/**
 * Puts a word in place of these values wherever a text has them, also spelled in base64, for an address or within JSON. What it
 * costs does not grow with the number of values: a certificate has a hundred lines, a value of a megabyte ten thousand.
 */
export function maskOf(secrets: Iterable<string>): (text: string) => string {
  const texts = textsOf(secrets);
  const byBeginning = Map.groupBy(texts, (one) => beginningOf(one, 0));
  return (text) => {
    if (texts.length <= fewTexts && !texts.some((one) => text.includes(one))) return text;
    return masked(text, byBeginning);
  };
}

/** The longest first. */
function textsOf(secrets: Iterable<string>): string[] {
  const spelled = new Set<string>();
  for (const secret of secrets) {
    for (const one of spellingsOf(secret)) spelled.add(one);
    // A log has them line by line.
    for (const line of secret.split(/\r?\n/)) spelled.add(line).add(withinJson(line));
  }
  return [...spelled]
    .filter(({ length }) => length >= shortestMasked)
    .toSorted((one, other) => other.length - one.length);
}

/** All that is covered by any of them goes, also where two overlap. */
function masked(text: string, byBeginning: ReadonlyMap<string, readonly string[]>): string {
  let shown = '';
  let [from, until] = [0, 0];
  let looks = mostLooks * text.length;
  for (let at = 0; at + shortestMasked <= text.length; at += 1) {
    const alike = byBeginning.get(beginningOf(text, at)) ?? [];
    const which = alike.findIndex((one) => text.startsWith(one, at));
    looks -= which < 0 ? alike.length : which + 1;
    if (looks < 0) return maskText;
    const found = alike[which];
    if (found === undefined) continue;
    if (at >= until) shown += `${text.slice(from, at)}${maskText}`;
    until = Math.max(until, at + found.length);
    from = until;
  }
  return shown + text.slice(from);
}

function beginningOf(text: string, at: number): string {
  return text.slice(at, at + shortestMasked);
}

function spellingsOf(secret: string): string[] {
  const found = [secret, withinJson(secret), encodeURIComponent(secret), encodeURI(secret)];
  found.push(new URLSearchParams([['', secret]]).toString().slice(1));
  for (const encoding of ['base64', 'base64url'] as const) {
    found.push(Buffer.from(secret).toString(encoding));
    for (const before of [0, 1, 2]) found.push(withinBase64(secret, before, encoding));
  }
  return found;
}

function withinJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The part of the base64 of a longer text that this text alone decides, if it begins `before` bytes behind a group of three. */
function withinBase64(text: string, before: number, encoding: 'base64' | 'base64url'): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
  const whole = Math.floor((bytes.length * 8) / 6);
  return bytes.toString(encoding).slice(Math.ceil((before * 8) / 6), whole);
}
