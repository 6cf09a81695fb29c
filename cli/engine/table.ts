/** Names are what people say that they are: none may steer the terminal. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '?');
}

/** A text in which each value is printable, as in said`The project ${name} is deleted.` */
export function said(texts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return texts.map((text, at) => `${text}${printable(String(values[at] ?? ''))}`).join('');
}

/** By their titles: the field that stands there, or how it follows from the row. */
export type Columns<Row> = Readonly<Record<string, (keyof Row & string) | ((row: Row) => Cell)>>;
type Cell = string | number | undefined;

/**
 * Rows beneath their titles, in columns as wide as they need to be; `none` is said where there are none. `titles`: where they are those
 * of people, which may be the same twice; a second column without a title is called by a blank.
 */
export function asTable<Row extends object>(
  rows: readonly Row[],
  none: string,
  columns: Columns<NoInfer<Row>>,
  titles = Object.keys(columns).map((title) => title.trim()),
): string {
  if (rows.length === 0) return none;
  const cells = rows.map((row) =>
    Object.values(columns).map((of) => cellText(typeof of === 'function' ? of(row) : row[of])),
  );
  const lines = [titles, ...cells];
  const widths = titles.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function cellText(value: unknown): string {
  return printable(String(value ?? ''));
}

/** Facts of one thing by their titles, a line each, or several; those that are empty are left out. */
export function asFacts(facts: Readonly<Record<string, Cell | readonly string[]>>): string {
  const lines = Object.entries(facts)
    .flatMap(([title, value]) => [value].flat().map((one) => ({ title, text: cellText(one) })))
    .filter(({ text }) => text !== '');
  const width = Math.max(0, ...lines.map(({ title }) => title.length));
  return lines.map(({ title, text }) => `${title.padEnd(width)}  ${text}\n`).join('');
}

/** Those of these texts that say something, with an empty line between them. */
export function inParts(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}
