import type { SourceTree } from '../tree.ts';

/** A public repository, by the facts that were read from it at a commit: names of files, and of few files what they say. */
export interface Repository {
  name: string;
  commit: string;
  paths: readonly string[];
  facts: ReadonlyMap<string, string>;
}

/** The repositories of a text: `== name commit`, `files …`, then `path | facts` in lines, with `\n` and `\\` escaped. */
export function readRepositories(text: string): Repository[] {
  return text
    .split(/^== /m)
    .slice(1)
    .map((block) => {
      const [title = '', files = '', ...rest] = block.trimEnd().split('\n');
      const [name = '', commit = ''] = title.split(' ');
      const paths = files
        .replace(/^files /, '')
        .split(' ')
        .filter(Boolean);
      const facts = rest
        .filter((line) => line.includes(' | '))
        .map((line): [string, string] => {
          const at = line.indexOf(' | ');
          return [line.slice(0, at), unescaped(line.slice(at + 3))];
        });
      return { name, commit, paths, facts: new Map(facts) };
    });
}

function unescaped(text: string): string {
  return text.replace(/\\([n\\])/g, (_, char: string) => (char === 'n' ? '\n' : char));
}

/** As a source that was fetched: a file of which no fact was kept is there, and empty. */
export function treeOf(repository: Repository): SourceTree {
  const paths = [...repository.paths].sort();
  const known = new Set(paths);
  return { paths, text: (path) => (known.has(path) ? (repository.facts.get(path) ?? '') : undefined) };
}
