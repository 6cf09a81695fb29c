import { detect } from '../../domain/detection/detect.ts';
import type { DetectedBuild } from '../../domain/detection/detected-build.ts';
import type { CommitTree } from '../../outbound/git/commit/commit-tree.ts';

export interface DetectedCommit {
  detected: DetectedBuild;
  message: string;
  /** The first of the usual templates of variables, of the folder or else of the whole. */
  template: { path: string; text: string } | undefined;
}

/** Detection asks for texts that depend on those before: each round is one question to the host. */
const mostRounds = 8;
const mostTexts = 1_000;
const templates = ['.env.example', '.env.sample', '.env.template', '.env.dist', 'env.example', 'example.env'];

export async function detectCommit({ paths, texts }: CommitTree, context: string): Promise<DetectedCommit> {
  const known = new Map<string, string | undefined>();
  const folder = context.replace(/^(?:\.\/)+|\/+$/g, '');
  const there = new Set(paths);
  const path = [...(folder === '' ? [] : templates.map((name) => `${folder}/${name}`)), ...templates].find((one) =>
    there.has(one),
  );
  let wanted = path === undefined ? [] : [path];
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
      const text = path === undefined ? undefined : known.get(path);
      return { detected, message, template: path === undefined || text === undefined ? undefined : { path, text } };
    }
    const read = await texts(missing);
    for (const one of missing) known.set(one, read.get(one));
  }
}
