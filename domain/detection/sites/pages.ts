import { type Outcome, site } from '../outcome.ts';
import { type Source, within } from '../source.ts';

/** Folders in which pages are kept that nothing has to build. */
const folders = ['', 'public', 'dist', 'site', 'www', 'html', 'htdocs'];

export function fromPages(source: Source, folder: string): Outcome | undefined {
  const below = folders.find((one) => source.has(within(folder, within(one, 'index.html'))));
  if (below === undefined) return undefined;
  const path = within(folder, within(below, 'index.html'));
  const told = { signals: [{ path, detail: 'Pages that are served as they are' }] };
  const build = {
    provider: 'static' as const,
    directory: folder,
    toolchain: [],
    steps: [],
    drop: [],
    environment: {},
    told,
  };
  return site(build, below === '' ? '.' : below);
}
