import { expect, test } from 'vitest';
import { pages } from '../test/console/pages/pages.ts';
import { router } from './router.ts';

const content = {
  cluster: 'c',
  lostCluster: 'l',
  instance: 'i',
  workflow: 'o',
  invitation: 't',
  deployment: 'd',
  failedDeployment: 'd',
  approval: 'a',
  build: 'b',
  failedBuild: 'b',
  channel: 'n',
};

/** The route that shows an address, if it is the console's at all. */
function routeAt(address: string): string | undefined {
  const [matched, , found] = router.getMatchedRoutes(new URL(address, 'http://localhost').pathname);
  return found === undefined ? undefined : matched.at(-1)?.id;
}

test('every page of the console is among those that are looked at in a browser', () => {
  const shown = Object.values(router.routesById).filter(
    ({ children, options }) => children === undefined && 'component' in options && options.component !== undefined,
  );
  expect(shown.length).toBeGreaterThan(15);
  const lookedAt = new Set(pages.map(({ address }) => routeAt(address(content))));
  expect(shown.map(({ id }) => id).filter((id) => !lookedAt.has(id))).toEqual([]);
});
