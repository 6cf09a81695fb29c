import { type Outcome, refused } from './outcome.ts';
import { shown } from './shell.ts';
import { type Source, within } from './source.ts';

/** Stacks that are built by a Dockerfile alone. */
const stacks: readonly { name: string; file: RegExp }[] = [
  { name: 'Ruby', file: /^Gemfile$/ },
  { name: 'PHP', file: /^(?:composer\.json|index\.php)$/ },
  { name: 'Elixir', file: /^mix\.exs$/ },
  { name: '.NET', file: /\.(?:csproj|fsproj|sln)$/ },
  { name: 'Deno', file: /^deno\.jsonc?$/ },
  { name: 'Dart', file: /^pubspec\.yaml$/ },
  { name: 'Swift', file: /^Package\.swift$/ },
  { name: 'Scala', file: /^build\.sbt$/ },
  { name: 'Clojure', file: /^(?:project\.clj|deps\.edn)$/ },
  { name: 'Haskell', file: /^(?:stack\.yaml|cabal\.project)$/ },
];

export function foreignStack(source: Source, folder: string): Outcome | undefined {
  const files = source.files(folder);
  for (const { name, file } of stacks) {
    const found = files.find((one) => file.test(one));
    if (found === undefined) continue;
    const path = within(folder, found);
    const message = `${shown(path)} is of ${name}, which is not built without a Dockerfile: add one beside it.`;
    return refused('', message, [{ path, detail: `A project of ${name}` }]);
  }
  return undefined;
}
