import { readFileSync } from 'node:fs';
import { QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, expect, test } from 'vitest';
import { pagesKey } from '../../control-plane/pages.ts';
import { createPlane, PlaneContext, personPlane } from '../../control-plane/plane.ts';
import { sessionQuery } from '../../control-plane/session.ts';
import { Workflow } from './workflow.tsx';

/** Answers about a kind that this console has never heard of, as the API gives them (api/workflows/new-kind.test.ts). */
const { workflow: voyage, steps } = JSON.parse(
  readFileSync(new URL('../../../test/actors/new-kind.json', import.meta.url), 'utf8'),
);

afterEach(() => personPlane.queryClient.clear());

/** The page of a workflow as a viewer sees it. */
async function shown(workflow: { id: string }): Promise<string> {
  const organization = { id: 'harbour', slug: 'harbour', name: 'Harbour', role: 'viewer' };
  personPlane.queryClient.setQueryData(sessionQuery.queryKey, {
    user: { id: 'ada' },
    organizations: [organization],
  } as never);
  const plane = createPlane(organization.id);
  const { queryClient, trpc } = plane;
  const path = { id: workflow.id };
  queryClient.setQueryData(trpc.workflows.get.queryKey({ path }), workflow as never);
  const query = { order: 'oldest', raw: false, limit: 100 };
  queryClient.setQueryData([...pagesKey(trpc.workflows.history), { path, query }], {
    pages: [{ items: steps }],
    pageParams: [undefined],
  });
  const root = createRootRoute();
  const route = createRoute({
    getParentRoute: () => root,
    path: '/$organization/workflows/$workflow',
    component: () =>
      createElement(
        PlaneContext,
        { value: plane },
        createElement(QueryClientProvider, { client: queryClient }, createElement(Workflow)),
      ),
  });
  const history = createMemoryHistory({ initialEntries: [`/harbour/workflows/${workflow.id}`] });
  const router = createRouter({ routeTree: root.addChildren([route]), history });
  await router.load();
  return renderToStaticMarkup(createElement(RouterProvider, { router: router as never }));
}

/** Texts of the entries of a list, and the colours that mean something. */
function entriesOf(html: string, label: string): { text: string; colours: string[] }[] {
  const [, list = ''] = new RegExp(`<ol[^>]* aria-label="${label}"[^>]*>(.*?)</ol>`).exec(html) ?? [];
  return [...list.matchAll(/<li.*?<\/li>/g)].map(([entry]) => ({
    text: entry
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
    colours: [
      ...new Set(
        [...entry.matchAll(/\b(?:text|bg)-(good|fault|attention|live)\b(?!-ground)/g)].map(([, name]) => `${name}`),
      ),
    ],
  }));
}

test('a kind that the console has never heard of has its page: title, state, stages and steps in words and colours', async () => {
  const html = await shown(voyage);
  expect(html).toMatch(/<h1[^>]*>.*Voyage of The Beagle/);
  expect(html).toMatch(/bg-fault[^>]*><\/span>Sunk/);
  expect(html).toContain('Sails to the Galapagos.');
  expect(entriesOf(html, 'Stages')).toEqual([
    { text: 'Load done 20 s', colours: ['good'] },
    { text: 'Sail failed failed, 30 s', colours: ['fault'] },
  ]);
  expect(entriesOf(html, 'Steps').map(({ text, colours }) => [text.split(' +')[0], colours])).toEqual([
    ['Thursday, 1 January 2026', []],
    ['Started Sails to the Galapagos.', []],
    ['Put to sea At sea 10 s', []],
    ['A storm came Sunk 20 s', ['fault']],
    ['Ended: the ship sank failed', ['fault']],
  ]);
});

test('a workflow of an environment is about what its name says, and one of a cluster about the cluster', async () => {
  const about = (html: string) => {
    const [, fact = ''] = />About<\/dt><dd[^>]*>(.*?)<\/dd>/.exec(html) ?? [];
    return fact
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
  };
  const deployment = { ...voyage, kind: 'deployment', name: 'Web to Staging of Shop', subjectKind: 'environment' };
  expect(about(await shown(deployment))).toMatch(/^Web to Staging of Shop /);
  expect(about(await shown(voyage))).toMatch(/^The cluster The Beagle /);
});
