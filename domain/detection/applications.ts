import type { BuildProvider } from './build-plan.ts';
import { outcomeOf } from './folder.ts';
import { besideProject } from './foreign.ts';
import { manifestOf } from './node/manifest.ts';
import { workspaceOf } from './node/workspace.ts';
import type { Outcome } from './outcome.ts';
import { manifests, type Source, within } from './source.ts';

/** Folders of programs that nobody deploys. */
const aside = /(?:^|\/)(?:tests?|__tests__|fixtures?|testdata|e2e|benches|bench|fuzz)(?:\/|$)/;
const mostLookedAt = 200;

export interface Application {
  folder: string;
  outcome: Outcome;
  provider: BuildProvider | string;
}

/** Folders below one that are something by themselves, those nearest to it first. */
export function applicationsBelow(source: Source, folder: string): Application[] {
  const folders = new Set<string>();
  for (const name of manifests) {
    for (const path of source.named(name)) {
      if (folders.size >= mostLookedAt * 5) break;
      const at = path.slice(0, Math.max(0, path.lastIndexOf('/')));
      if (at === folder || (folder !== '' && !at.startsWith(`${folder}/`)) || aside.test(at)) continue;
      folders.add(at);
    }
  }
  const depth = (path: string): number => path.split('/').length;
  return [...folders]
    .toSorted((one, other) => depth(one) - depth(other) || (one < other ? -1 : 1))
    .slice(0, mostLookedAt)
    .flatMap((at) => {
      const outcome = outcomeOf(source, at);
      if (outcome === undefined || isPartOfAnother(source, at, outcome)) return [];
      const provider = outcome.kind === 'refused' ? outcome.provider : outcome.plan.provider;
      return [{ folder: at, outcome, provider }];
    });
}

/** What is built in such a folder belongs to another one: a library, the pages of a build around it, a Dockerfile whose context is above. */
function isPartOfAnother(source: Source, folder: string, outcome: Outcome): boolean {
  if (outcome.kind === 'refused') return false;
  const name = folder.replace(/^.*\//, '');
  if (outcome.plan.provider === 'dockerfile')
    return (
      besideProject.test(name) && !manifests.some((one) => one !== 'Dockerfile' && source.has(within(folder, one)))
    );
  if (outcome.kind !== 'site' || outcome.plan.provider !== 'node') return false;
  if (source.has(within(folder, 'build.gradle')) || source.has(within(folder, 'build.gradle.kts'))) return true;
  const manifest = manifestOf(source, folder);
  const workspace = workspaceOf(source, folder);
  if (manifest === undefined || workspace === undefined || source.has(within(folder, 'index.html'))) return false;
  const isNeeded = [...workspace.members.values(), workspace.manifest].some((one) => one?.packages.has(manifest.name));
  return isNeeded && ['main', 'exports', 'module'].some((field) => manifest.said[field] !== undefined);
}
