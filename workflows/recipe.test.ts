import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { actorKinds, descriptors } from './descriptors.ts';

const checkout = new URL('../', import.meta.url);
/** Rooms whose files may know a kind by its name: their subject is that kind, not all kinds. */
const rooms = ['activities', 'api', 'cli', 'db', 'domain', 'temporal', 'web', 'worker', 'workflows'];

/** Files that name each kind there is, by its table, its workflow or its file: places that a further kind has to touch. */
async function centralPlaces(): Promise<string[]> {
  const found: string[] = [];
  for (const room of rooms) {
    for (const file of await readdir(new URL(`${room}/`, checkout), { recursive: true })) {
      const path = `${room}/${file}`.replaceAll('\\', '/');
      if (!/\.tsx?$/.test(path) || /\.test\.tsx?$|node_modules|\/migrations\/Migration/.test(path)) continue;
      const source = await readFile(new URL(path, checkout), 'utf8');
      const named = actorKinds.filter((kind) => {
        const { table, workflow } = descriptors[kind];
        return [`/${kind}.ts'`, `/${kind}/`, `'${table}'`, `'${kind}'`, `{ ${workflow} }`].some((name) =>
          source.includes(name),
        );
      });
      if (named.length === actorKinds.length) found.push(path);
    }
  }
  return found.toSorted();
}

/** Places that every subject with a table or with hints touches, an actor or not: found by no name of a kind. */
const ofAnySubject = ['db/schemas.ts', 'domain/subjects.ts'];

test('the recipe for an actor names exactly the central places that a descriptor still touches', async () => {
  const recipe = await readFile(new URL('CONTRIBUTING.md', checkout), 'utf8');
  const section = recipe.slice(recipe.indexOf('## Add an actor'), recipe.indexOf('## Add a migration'));
  const places = section.slice(section.indexOf('The central places:'));
  const named = [...places.matchAll(/^- `([^`]+)`/gm)].map(([, path = '']) => path);
  expect(named.length).toBeLessThanOrEqual(10);
  expect(named.filter((path) => !ofAnySubject.includes(path)).toSorted()).toEqual(
    (await centralPlaces()).filter((path) => !ofAnySubject.includes(path)),
  );
});
