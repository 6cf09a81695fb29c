import { fromGo } from './compiled/go.ts';
import { fromJava } from './compiled/java.ts';
import { fromRust } from './compiled/rust.ts';
import { fromDockerfile } from './dockerfile.ts';
import { foreignStack } from './foreign.ts';
import { fromNode } from './node/node.ts';
import type { Outcome } from './outcome.ts';
import { fromPython } from './python/python.ts';
import type { Source } from './source.ts';
import { fromPages } from './static-site.ts';

/** One way to look at a folder. A Dockerfile says it all; of the rest a server goes before files. */
const ways: readonly ((source: Source, folder: string) => Outcome | undefined)[] = [
  fromNode,
  fromPython,
  fromGo,
  fromRust,
  fromJava,
];

/** How a folder itself is built, without looking for applications in those below it. */
export function outcomeOf(source: Source, folder: string): Outcome | undefined {
  const dockerfile = fromDockerfile(source, folder);
  if (dockerfile !== undefined) return dockerfile;
  const found = ways.map((way) => way(source, folder)).filter((one) => one !== undefined);
  const first = (kind: Outcome['kind']): Outcome | undefined => found.find((one) => one.kind === kind);
  const built = first('started') ?? first('server') ?? first('site');
  if (built !== undefined) return built;
  const refused = first('refused') ?? foreignStack(source, folder);
  // Pages beside a manifest that says nothing: of a package without scripts, for instance.
  return refused ?? fromPages(source, folder);
}
