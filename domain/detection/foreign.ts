import { shown } from './build-plan.ts';
import { type Outcome, refused } from './outcome.ts';
import { type Source, within } from './source.ts';

/** Folders that hold the Dockerfile of the project around them. */
export const besideProject = /^(?:\.?docker|containers?|deploy(?:ments?)?|build|ops|packaging)$/;

/** Stacks that are built by a Dockerfile alone. */
const stacks: readonly { name: string; file: RegExp }[] = [
  { name: 'Crystal', file: /^shard\.yml$/ },
  { name: 'Gleam', file: /^gleam\.toml$/ },
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
    const elsewhere = dockerfileElsewhere(source, folder);
    const what =
      elsewhere === undefined ? 'add one beside it' : `name ${shown(elsewhere)} as the Dockerfile of the service`;
    const message = `${shown(path)} is of ${name}, which is not built without a Dockerfile: ${what}.`;
    return refused('', message, [{ path, detail: `A project of ${name}` }]);
  }
  return undefined;
}

/** One of the project itself, in a folder of its own: its context is the project. */
function dockerfileElsewhere(source: Source, folder: string): string | undefined {
  const inside = source.folders(folder).filter((name) => besideProject.test(name));
  return inside.map((name) => within(folder, `${name}/Dockerfile`)).find((path) => source.has(path));
}
