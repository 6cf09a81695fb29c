/** A word of a shell line: a name from a source may hold anything. */
export function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A name in a sentence, on one line. */
export function shown(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?');
  return line.length > 120 ? `${line.slice(0, 120)}…` : line;
}
