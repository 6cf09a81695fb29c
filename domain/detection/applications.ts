import type { BuildProvider } from './build-plan.ts';
import { outcomeOf } from './folder.ts';
import type { Outcome } from './outcome.ts';
import { manifests, type Source } from './source.ts';

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
      if (outcome === undefined) return [];
      const provider = outcome.kind === 'refused' ? outcome.provider : outcome.plan.provider;
      return [{ folder: at, outcome, provider }];
    });
}
