import { detect } from '../../domain/detection/detect.ts';
import type { DetectedBuild } from '../../domain/detection/detected-build.ts';
import { templateOf } from '../../domain/env-template/template-file.ts';
import type { CommitTree } from '../../outbound/git/commit/commit-tree.ts';

export interface DetectedCommit {
  detected: DetectedBuild;
  message: string;
  /** The template of variables. */
  template: { path: string; text: string } | undefined;
}

/** Detection asks for texts that depend on those before: each round is one question to the host. */
const mostRounds = 8;
const mostTexts = 1_000;

export async function detectCommit({ paths, texts }: CommitTree, context: string): Promise<DetectedCommit> {
  const known = new Map<string, string | undefined>();
  const folder = context.replace(/^(?:\.\/)+|\/+$/g, '');
  const there = new Set(paths);
  const usual = templateOf(folder, (one) => there.has(one));
  let wanted = usual === undefined ? [] : [usual];
  for (let round = 0; ; round += 1) {
    const next: string[] = [];
    const tree = {
      paths,
      text(one: string) {
        if (!known.has(one)) next.push(one);
        return known.get(one);
      },
    };
    const { detected, message } = detect(tree, context);
    const missing = [...new Set([...next, ...wanted])].slice(0, mostTexts);
    wanted = [];
    if (missing.length === 0 || round === mostRounds || known.size >= mostTexts) {
      // Of a single application in a folder below it is that one's.
      const path = detected.envTemplate || usual;
      const text = path === undefined ? undefined : known.get(path);
      return { detected, message, template: path === undefined || text === undefined ? undefined : { path, text } };
    }
    const read = await texts(missing);
    for (const one of missing) known.set(one, read.get(one));
  }
}
