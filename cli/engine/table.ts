/** Rows beneath their titles, in columns as wide as they need to be. */
export function asTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [titles, ...rows];
  const widths = titles.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** Names are what people say that they are: none may steer the terminal. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '?');
}

/** Facts of one thing, a line each; those that are empty are left out. */
export function asLines(lines: readonly (readonly [title: string, value: string])[]): string {
  const shown = lines.filter(([, value]) => value !== '');
  const width = Math.max(0, ...shown.map(([title]) => title.length));
  return shown.map(([title, value]) => `${title.padEnd(width)}  ${printable(value)}\n`).join('');
}
