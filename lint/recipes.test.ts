import { expect, test } from 'vitest';
import { subjects } from '../domain/subjects.ts';
import { actorKinds, descriptors } from '../workflows/descriptors.ts';
import { centralPlaces, foldersWith, placesOfRecipe } from './central-places.ts';

test('a recipe for a subject names exactly the central places that every subject touches: at most four', async () => {
  const inApi = await foldersWith('api', 'index.ts');
  const inDatabase = await foldersWith('db', 'index.ts');
  const inConsole = await foldersWith('web/pages', 'index.tsx');
  const whole = inApi
    .map((folder) => ({ folder, kind: folder.replaceAll('-', '_').replace(/s$/, '') }))
    .filter(({ folder }) => inDatabase.includes(folder) && inConsole.includes(folder))
    .filter(({ kind }) => Object.hasOwn(subjects, kind));
  expect(whole.map(({ folder }) => folder)).toEqual(expect.arrayContaining(['api-tokens', 'teams', 'trusted-issuers']));
  const names = whole.map(({ folder, kind }) => [`/${folder}/`, `'${kind}'`, `\n  ${kind}: `]);
  const named = await placesOfRecipe('Add a subject');
  expect(named.length).toBeLessThanOrEqual(4);
  expect(named).toEqual(await centralPlaces(names));
});

test('a recipe for an actor names exactly the central places that a descriptor still touches', async () => {
  const names = actorKinds.map((kind) => {
    const { table, workflow } = descriptors[kind];
    return [`/${kind}.ts'`, `/${kind}/`, `'${table}'`, `'${kind}'`, `{ ${workflow} }`];
  });
  const ofItsSubject = await placesOfRecipe('Add a subject');
  const found = await centralPlaces(names);
  expect(await placesOfRecipe('Add an actor')).toEqual(found.filter((path) => !ofItsSubject.includes(path)));
});
