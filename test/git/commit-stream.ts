/** A file by its content; a link or a submodule by where it leads; null is a file that is there no longer. */
export type Entry = string | Buffer | { executable: string } | { link: string } | { submodule: string } | null;

export interface NewCommit {
  branch?: string;
  /** `refs/tags/v1` and the like, in place of a branch. */
  ref?: string;
  message?: string;
  author?: string;
}

/** At a fixed time: the same files upon the same commit are the same commit. */
const second = Date.parse('2026-01-01T12:00:00Z') / 1_000;

/** A commit over another one for `git fast-import`, which takes all names as they are, and prints at its end what commit it is. */
export function* commitStream(
  files: Readonly<Record<string, Entry>>,
  ref: string,
  parent: string,
  { message = 'A change', author = 'Ada' }: NewCommit,
): Generator<string | Buffer> {
  yield `commit ${ref}\nmark :1\nauthor ${author} <ada@example.com> ${second} +0000\n`;
  yield `committer Ada <ada@example.com> ${second} +0000\n`;
  yield* data(message);
  if (parent !== '') yield `from ${parent}\n`;
  for (const [path, entry] of Object.entries(files)) yield* change(quoted(path), entry);
  yield '\nget-mark :1\n';
}

function* change(at: string, entry: Entry): Generator<string | Buffer> {
  if (entry === null) return void (yield `D ${at}\n`);
  if (typeof entry === 'object' && 'submodule' in entry) return void (yield `M 160000 ${entry.submodule} ${at}\n`);
  const isText = typeof entry === 'string' || Buffer.isBuffer(entry);
  const [mode, content] = isText
    ? ['100644', entry]
    : 'executable' in entry
      ? ['100755', entry.executable]
      : ['120000', entry.link];
  yield `M ${mode} inline ${at}\n`;
  yield* data(content);
}

export function* data(content: string | Buffer): Generator<string | Buffer> {
  yield `data ${Buffer.byteLength(content)}\n`;
  yield content;
  yield '\n';
}

function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}
