import { asTable, type Columns } from './table.ts';

/** The words of a command once it has done its work: JSON to programs, which give `--json`, and else a text to people. */
export type Outcome = {
  text: Text;
  /** Beside it on the standard error, where it does not come in between when the text is passed on. */
  above?: Text | undefined;
  below?: Text | undefined;
  /** The work is done and told, and did not end well. */
  failure?: Error | undefined;
} & (
  | { json: unknown }
  /** The JSON stands on one line. */
  | { jsonLine: unknown }
);

/** One or several, each ended by the end of a line. A function: what only people have to be told is asked for only then. */
type Text = Texts | (() => Texts | Promise<Texts>);
type Texts = string | readonly string[];

/** A list of things by the name that it has in JSON, to people as a table; `none` is said where there are none. */
export function listed<Row extends object>(
  list: Readonly<Record<string, readonly Row[]>>,
  none: string,
  columns: Columns<NoInfer<Row>> | (() => Promise<Columns<NoInfer<Row>>>),
): Outcome {
  const rows = Object.values(list).flat();
  const text = async () => asTable(rows, none, typeof columns === 'function' ? await columns() : columns);
  return { json: list, text };
}

export async function tell(outcome: Outcome, json: boolean): Promise<void> {
  if (json) process.stdout.write(`${jsonOf(outcome)}\n`);
  else {
    const { text, above, below } = outcome;
    if (above !== undefined) process.stderr.write(await inLines(above));
    process.stdout.write(await inLines(text));
    if (below !== undefined) process.stderr.write(await inLines(below));
  }
  if (outcome.failure !== undefined) throw outcome.failure;
}

function jsonOf(outcome: Outcome): string {
  return 'json' in outcome ? JSON.stringify(outcome.json, undefined, 2) : JSON.stringify(outcome.jsonLine);
}

async function inLines(text: Text): Promise<string> {
  return [typeof text === 'function' ? await text() : text]
    .flat()
    .map((text) => (text === '' || text.endsWith('\n') ? text : `${text}\n`))
    .join('');
}
