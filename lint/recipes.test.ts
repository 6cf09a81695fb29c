import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { subjects } from '../domain/subjects.ts';
import { actorKinds, descriptors } from '../workflows/descriptors.ts';
import {
  centralPlaces,
  filesNamed,
  filesOfActor,
  foldersWith,
  numberedInRecipe,
  placesOfRecipe,
} from './central-places.ts';

test('a recipe for a subject names exactly the central places that every subject touches: at most five', async () => {
  const inApi = await foldersWith('api', 'operations.ts');
  const inDatabase = await foldersWith('db', 'table.ts');
  const inConsole = await foldersWith('web/pages', 'index.tsx');
  const findable = await readFile(new URL('../api/search/findable.ts', import.meta.url), 'utf8');
  const whole = inApi
    .map((folder) => ({ folder, kind: folder.replaceAll('-', '_').replace(/s$/, '') }))
    .filter(({ folder }) => inDatabase.includes(folder) && inConsole.includes(folder))
    .filter(({ kind }) => Object.hasOwn(subjects, kind))
    // Some that nobody looks for by a name, such as a deployment, touch one place less.
    .filter(({ folder }) => findable.includes(`/${folder}/`));
  expect(whole.map(({ folder }) => folder)).toEqual(expect.arrayContaining(['api-tokens', 'teams', 'trusted-issuers']));
  const names = whole.map(({ folder, kind }) => [`/${folder}/`, `'${kind}'`, `\n  ${kind}: `]);
  const named = await placesOfRecipe('Add a subject');
  expect(named.length).toBeLessThanOrEqual(5);
  expect(named).toEqual(await centralPlaces(names));
});

test('the worked example of a subject names each of its files, and is as small as a subject should be', async () => {
  const named = await numberedInRecipe('Add a subject', 'The worked example');
  const own = (path: string) => /registry.(credential|checks)/.test(path);
  const text = async (path: string) => await readFile(new URL(`../${path}`, import.meta.url), 'utf8');
  const lines = await Promise.all(
    named.map(async (path) => {
      const all = (await text(path)).trimEnd().split('\n');
      const counted = own(path) ? all : all.filter((line) => /registry.?credential/i.test(line));
      expect(counted.length, `lines of ${path} that are of the example`).toBeGreaterThan(0);
      return counted.length;
    }),
  );
  expect(named.filter(own)).toEqual(await filesNamed(/registry.(credential|checks)/));
  expect(named.length).toBeLessThanOrEqual(18);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(900);
});

const title = 'Add an actor';
const nine = async () => [...(await numberedInRecipe(title, 'Its own files')), ...(await placesOfRecipe(title))];
const migration = /^(db\/migrations\/Migration)[^.]*/;
const asPattern = (path: string) => path.replace(migration, '$1<time>_<name>');

test('a recipe for an actor names exactly the central places that a descriptor still touches', async () => {
  const names = actorKinds.map((kind) => {
    const { table, workflow } = descriptors[kind];
    return [`/${kind}.ts'`, `/${kind}/`, `'${table}'`, `'${kind}'`, `{ ${workflow} }`];
  });
  const ofItsSubject = await placesOfRecipe('Add a subject');
  const found = (await centralPlaces(names)).filter((path) => !ofItsSubject.includes(path));
  const ofItsOwn = (path: string) => path.includes('<subject>');
  expect((await placesOfRecipe(title)).filter((path) => !ofItsOwn(path))).toEqual(found);
});

test.each(actorKinds)('the files of the recipe, at most nine, are exactly what the actor %s has', async (kind) => {
  const found = await filesOfActor(kind, descriptors[kind].table);
  const row = found.find((path) => /^db\/[^/]+\/table\.ts$/.test(path)) ?? '';
  const subject = row.split('/')[1] ?? '';
  // Backups and restores have theirs in common (`workflows/transfer.ts`).
  const shares = !found.includes(`workflows/${kind}/state.ts`);
  const named = (await nine()).filter((path) => !(shares && /\/state\.(test\.)?ts$/.test(path)));
  expect(named.length).toBeLessThanOrEqual(9);
  expect(named.map((path) => path.replace('<subject>', subject).replace('<actor>', kind)).toSorted()).toEqual(
    found.map(asPattern).toSorted(),
  );
});

test('the exercise of adding an actor took the files of the recipe', async () => {
  const recorded = await numberedInRecipe(title, 'The exercise');
  const expected = (await nine()).map((path) =>
    path.replace('<subject>', 'clusters').replace('<actor>', 'volume-restore'),
  );
  expect(recorded.map(asPattern).toSorted()).toEqual(expected.toSorted());
});
