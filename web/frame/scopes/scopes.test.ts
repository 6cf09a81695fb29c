import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router';
import { type ComponentProps, createElement, Fragment } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Page } from '../../components/page.tsx';
import { ScopeNavigation } from '../organization-frame.tsx';
import { Breadcrumb } from './breadcrumb.tsx';
import { crumbsOf, entryOf, linkTo, registerScope, type Scope } from './scope.ts';

const base = '/harbours/$harbour';
/** A subject that the console does not have: its registration is all that the frame knows of it. */
const harbour: Scope = {
  path: base,
  noun: 'Harbour',
  nouns: 'Harbours',
  useName: ({ harbour: id }) => (id === 'none' ? null : `Harbour of ${id}`),
  useSiblings: () => ({ items: [{ value: 'kiel', label: 'Kiel' }] }),
  navigation: [
    { label: 'Overview', to: base },
    {
      label: 'Ships',
      to: `${base}/ships`,
      useBadge: () => ({ count: 3, tone: 'attention', label: 'ships wait' }),
    },
    { label: 'Cranes', to: `${base}/cranes`, useBadge: () => ({ count: 0, tone: 'fault', label: 'cranes fail' }) },
  ],
};
const pier: Scope = { path: `${base}/piers/$pier`, noun: 'Pier', nouns: 'Piers', useName: ({ pier: id = '' }) => id };

let forget: (() => void)[] = [];
beforeAll(() => {
  forget = [registerScope(pier), registerScope(harbour)];
});
afterAll(() => {
  for (const one of forget) one();
});

const named = () =>
  createElement(
    Page,
    {
      title: 'Aurora',
      width: 'wide',
      panel: { title: 'Cargo', onClose: () => undefined, children: '40 crates' },
    } as ComponentProps<typeof Page>,
    'Sails at noon',
  );

async function shown(address: string): Promise<string> {
  const root = createRootRoute({
    component: () =>
      createElement(Fragment, {}, createElement(Breadcrumb), createElement(ScopeNavigation), createElement(Outlet)),
  });
  const paths = [base, `${base}/ships`, `${base}/ships/$ship`, `${base}/cranes`, `${base}/piers/$pier`];
  const routes = paths.map((path) => createRoute({ getParentRoute: () => root, path, component: named }));
  const router = createRouter({
    routeTree: root.addChildren(routes),
    history: createMemoryHistory({ initialEntries: [address] }),
  });
  await router.load();
  return renderToStaticMarkup(createElement(RouterProvider, { router: router as never }));
}

/** The texts of links in a navigation, that of the page in brackets. */
function linksOf(html: string, label: string): string[] {
  const [, navigation = ''] = new RegExp(`<nav aria-label="${label}".*?>(.*?)</nav>`).exec(html) ?? [];
  return [...navigation.matchAll(/<a ([^>]*)>(.*?)<\/a>/g)].map(([, attributes = '', content = '']) => {
    const text = content.replaceAll(/<[^>]*>/g, '');
    return attributes.includes('aria-current="page"') ? `[${text}]` : text;
  });
}

describe('a scope that has no more than its registration', () => {
  test('has its navigation, the page that is shown marked, and numbers where there is something to count', async () => {
    expect(linksOf(await shown('/harbours/kiel'), 'Harbour Harbour of kiel')).toEqual([
      '[Overview]',
      'Ships3 ships wait',
      'Cranes',
    ]);
    const inner = linksOf(await shown('/harbours/kiel/ships/aurora'), 'Harbour Harbour of kiel');
    expect(inner).toEqual(['Overview', '[Ships3 ships wait]', 'Cranes']);
  });

  test('has a crumb that switches, and keeps its navigation on the pages of scopes within', async () => {
    const html = await shown('/harbours/kiel/piers/west');
    expect(html).toContain('aria-label="Harbour Harbour of kiel; switch"');
    expect(linksOf(html, 'Breadcrumb')).toEqual(['[west]']);
    expect(linksOf(html, 'Harbour Harbour of kiel')).toHaveLength(3);
    expect(crumbsOf(`${base}/piers/$pier`)).toEqual([{ scope: harbour }, { scope: pier }]);
  });

  test('is left out where there is no such thing', async () => {
    const html = await shown('/harbours/none');
    expect(html).not.toContain('; switch');
    expect(linksOf(html, 'Harbour')).toEqual([]);
  });

  test('is switched to the same page of its navigation', () => {
    expect(entryOf(harbour, `${base}/ships/$ship`)?.label).toBe('Ships');
    const params = { harbour: 'kiel', ship: 'aurora' };
    expect(linkTo(harbour, 'wismar', params, `${base}/ships/$ship`)).toMatchObject({
      to: `${base}/ships`,
      params: { harbour: 'wismar' },
    });
    expect(linkTo(harbour, 'wismar', params, `${base}/piers/$pier`)).toMatchObject({ to: base });
  });
});

test('a panel stands beside the content, with a heading and a way to close it', async () => {
  const html = await shown('/harbours/kiel');
  expect(html).toMatch(/Sails at noon.*<section aria-label="Cargo".*<h2[^>]*>Cargo<\/h2>.*aria-label="Close Cargo"/);
});
