/** Of values with more lines these are sought as they are and within JSON only: files, not keys. */
const mostLines = 200;

/** The values as programs spell them: alone, line by line, and within texts of other kinds. */
function formsOf(secrets: Iterable<string>): string[] {
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

/** Stands in place of a secret value in what programs wrote. */
const maskText = '[secret]';

/** Shorter values would mask half of what a program writes, and say by that what they are. */
const shortestMasked = 6;

/** Long forms are found by pieces of them, too: programs break lines at 64 or 76 signs. A shorter piece may be chance. */
const [longForm, shortestPiece] = [48, 32];
/** At the end of a line that many signs of the beginning are enough: the rest may come on the next one. */
const shortestBeginning = 16;
/** A value that repeats itself may be broken off in as many ways as it has signs. */
const mostBroken = 64;
const mostAlike = 16;
/** Any piece of that length has one of these parts in it. */
const part = shortestPiece / 2;

/** Signs that are compared for each sign of a text on average, before the text is withheld as a whole. */
const mostLooks = 64;

/** So many signs decide how far the search may leap: `shortestMasked - block + 1` at most. */
const block = 3;
const tableSize = 1 << 16;

/** Something that is sought: a form, or a part of a long one that stands at `at` of it. */
interface Sought {
  text: string;
  whole: string;
  at: number;
}

/** The forms of which a line has the signs up to `at`, at its end: the next line may go on with them. */
export interface BrokenOff {
  forms: readonly { whole: string; at: number }[];
}

/** Masks a text by itself. Nothing but a text is taken, since it is handed to `map` and the like. */
export interface Mask {
  (text: string): string;
  /** A line is masked with what the one before it broke off, and says there what it breaks off itself. */
  line(text: string, broken: BrokenOff): string;
}

/**
 * Puts a word in place of these values wherever a text has them, also as programs spell them elsewhere (`secret-forms.ts`), and in place of
 * pieces of the long ones. One search for all: by three signs it leaps over what no form begins with, so that its cost does not
 * grow with the number of values, and grows with the length of the text alone.
 */
export function maskOf(secrets: Iterable<string>): Mask {
  const forms = formsOf(secrets).filter(({ length }) => length >= shortestMasked);
  if (forms.length === 0) return Object.assign(same, { line: same });
  const byBeginning = Map.groupBy(soughtIn(forms), ({ text }) => text.slice(0, shortestMasked));
  for (const [beginning, alike] of byBeginning) byBeginning.set(beginning, withoutCommon(alike));
  const leaps = leapsOver(byBeginning.keys());
  return Object.assign((text: string) => masked(text, { byBeginning, leaps, from: 0 }).shown, {
    line(text: string, broken: BrokenOff) {
      const { covered, rest } = goneOn(text, broken.forms);
      const { shown, open } = masked(text, { byBeginning, leaps, from: covered, isLine: true });
      broken.forms = [...rest, ...open].slice(0, mostBroken);
      return shown;
    },
  });
}

function same(text: string): string {
  return text;
}

/** The longest first among those that begin alike. */
function soughtIn(forms: readonly string[]): Sought[] {
  const found = forms.map((form): Sought => ({ text: form, whole: form, at: 0 }));
  for (const whole of forms.filter(({ length }) => length >= longForm)) {
    for (let at = 0; at + part <= whole.length; at += part) found.push({ text: whole.slice(at, at + part), whole, at });
  }
  return found.toSorted((one, other) => other.text.length - one.text.length);
}

/** Parts that begin like many others, in a value that repeats itself, would only make a long search. */
function withoutCommon(alike: Sought[]): Sought[] {
  const parts = new Set(alike.filter(({ text, whole }) => text !== whole).slice(mostAlike));
  return alike.filter((one) => !parts.has(one));
}

/** By the hash of three signs: how far it is to the nearest place at which something that is sought may begin. */
function leapsOver(beginnings: Iterable<string>): Uint8Array {
  const leaps = new Uint8Array(tableSize).fill(shortestMasked - block + 1);
  for (const beginning of beginnings) {
    for (let at = 0; at + block <= shortestMasked; at += 1) {
      const which = hashAt(beginning, at);
      leaps[which] = Math.min(leaps[which] ?? 0, shortestMasked - block - at);
    }
  }
  return leaps;
}

function hashAt(text: string, at: number): number {
  return ((text.charCodeAt(at) << 10) ^ (text.charCodeAt(at + 1) << 5) ^ text.charCodeAt(at + 2)) & (tableSize - 1);
}

/** How much of the beginning of a line goes on with what the line before broke off: to the line's end, or the form's. */
function goneOn(text: string, forms: BrokenOff['forms']): { covered: number; rest: BrokenOff['forms'] } {
  const begins = text.length - text.trimStart().length;
  const ends = text.trimEnd().length;
  let covered = 0;
  const rest: { whole: string; at: number }[] = [];
  for (const { whole, at } of forms) {
    const same = sameAfter(text, begins, whole, at);
    const isWhole = at + same === whole.length;
    if (same === 0 || (begins + same < ends && !isWhole)) continue;
    covered = Math.max(covered, begins + same);
    if (!isWhole) rest.push({ whole, at: at + same });
  }
  return { covered, rest };
}

interface Search {
  byBeginning: ReadonlyMap<string, readonly Sought[]>;
  leaps: Uint8Array;
  /** All before it is covered already. */
  from: number;
  isLine?: boolean;
}

/** All that is covered by any of them goes, also where two overlap. */
function masked(
  text: string,
  { byBeginning, leaps, from: covered, isLine = false }: Search,
): { shown: string; open: BrokenOff['forms'] } {
  let shown = covered > 0 ? maskText : '';
  let [from, until] = [covered, covered];
  let looks = mostLooks * (text.length + part);
  const lineEnd = isLine ? text.trimEnd().length : Number.POSITIVE_INFINITY;
  const open: { whole: string; at: number }[] = [];
  for (let end = shortestMasked - block; end + block <= text.length; ) {
    const leap = leaps[hashAt(text, end)] ?? 0;
    if (leap > 0) {
      end += leap;
      continue;
    }
    const at = end - (shortestMasked - block);
    end += 1;
    const alike = byBeginning.get(text.slice(at, at + shortestMasked));
    if (alike === undefined) continue;
    let [first, last] = [at, at];
    for (const { text: wanted, whole, at: place } of alike) {
      looks -= 1;
      // Nothing comes of it that is not covered already.
      if (at + whole.length - place <= Math.max(last, until)) continue;
      const right = sameAfter(text, at, whole, place);
      const isWhole = wanted === whole;
      const left = isWhole || right < wanted.length ? 0 : sameBefore(text, until, at, whole, place);
      looks -= right + left;
      if (looks < 0) return { shown: maskText, open: [] };
      const isBroken = at + right >= lineEnd && place + right < whole.length;
      const begins = isWhole && isBroken && whole.length >= shortestPiece && right >= shortestBeginning;
      const isPiece = !isWhole && right >= wanted.length && left + right >= shortestPiece;
      if (!begins && !isPiece && !(isWhole && right === whole.length)) continue;
      if (isBroken) open.push({ whole, at: place + right });
      first = Math.min(first, at - left);
      last = Math.max(last, at + right);
    }
    if (last <= until || last === at) continue;
    if (first >= until) shown += `${text.slice(from, first)}${maskText}`;
    until = last;
    from = last;
  }
  return { shown: shown + text.slice(from), open };
}

/** So many signs are the same from there on. */
function sameAfter(text: string, at: number, whole: string, place: number): number {
  const end = Math.min(text.length - at, whole.length - place);
  let same = 0;
  while (same < end && text.charCodeAt(at + same) === whole.charCodeAt(place + same)) same += 1;
  return same;
}

/** So many are the same before it; nothing before `from` is looked at again. */
function sameBefore(text: string, from: number, at: number, whole: string, place: number): number {
  const end = Math.min(at - from, place);
  let same = 0;
  while (same < end && text.charCodeAt(at - same - 1) === whole.charCodeAt(place - same - 1)) same += 1;
  return same;
}
