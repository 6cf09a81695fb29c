import { fromDotnet } from './compiled/dotnet.ts';
import { fromElixir } from './compiled/elixir.ts';
import { fromGo } from './compiled/go.ts';
import { fromJava } from './compiled/java.ts';
import { fromRust } from './compiled/rust.ts';
import { fromDockerfile, portOfDockerfile } from './dockerfile.ts';
import { foreignStack } from './foreign.ts';
import { fromDeno } from './interpreted/deno.ts';
import { fromPhp } from './interpreted/php.ts';
import { fromRuby } from './interpreted/ruby.ts';
import { fromNode } from './node/node.ts';
import type { Outcome } from './outcome.ts';
import { languageOf } from './procfile.ts';
import { withProposals } from './proposals.ts';
import { fromPython } from './python/python.ts';
import { fromHugo, fromPages } from './sites.ts';
import { kept, type Source } from './source.ts';

type Way = (source: Source, folder: string) => Outcome | undefined;

/** Languages whose projects have a package.json for their pages: they count first, and that is built as a step of theirs. */
const withPages: readonly Way[] = [fromPhp, fromRuby, fromElixir];
/** Other ways to look at a folder; a server goes before files. */
const ways: readonly Way[] = [fromNode, fromPython, fromGo, fromRust, fromJava, fromDeno, fromDotnet, fromHugo];

/** How a folder itself is built, without looking for applications in those below it. A Dockerfile says it all. */
export const outcomeOf = kept((source: Source, folder: string): Outcome | undefined => {
  const otherwise = (): number | undefined => {
    const other = withoutEngine(source, folder);
    return other === undefined || other.kind === 'refused' || other.plan.port === 0 ? undefined : other.plan.port;
  };
  const found =
    fromDockerfile(source, folder, otherwise) ?? withPortOfDockerfile(source, folder, withoutEngine(source, folder));
  return found === undefined || found.kind === 'refused' ? found : withProposals(source, folder, found);
});

function withoutEngine(source: Source, folder: string): Outcome | undefined {
  const language = languageOf(source, folder);
  for (const way of language === undefined ? [] : [...withPages, ...ways]) {
    const outcome = way(source, folder);
    if (outcome !== undefined && outcome.kind !== 'refused' && outcome.plan.provider === language) return outcome;
  }
  for (const way of withPages) {
    const outcome = way(source, folder);
    if (outcome !== undefined && outcome.kind !== 'refused') return outcome;
  }
  const found = [...ways, ...withPages].map((way) => way(source, folder)).filter((one) => one !== undefined);
  const first = (kind: Outcome['kind']): Outcome | undefined => found.find((one) => one.kind === kind);
  const built = first('started') ?? first('server') ?? first('site');
  if (built !== undefined) return built;
  // Beside a framework's manifest a package.json says nothing about what is missing.
  const refusals = found.filter((one) => one.kind === 'refused');
  const other = refusals.find((one) => one.kind === 'refused' && one.provider !== 'node');
  const refused = other ?? refusals[0] ?? foreignStack(source, folder);
  // Pages beside a manifest that says nothing: of a package without scripts, for instance.
  return refused ?? fromPages(source, folder);
}

/** A program that says no port itself listens where its Dockerfile says, also where no engine builds that. */
function withPortOfDockerfile(source: Source, folder: string, outcome: Outcome | undefined): Outcome | undefined {
  if (outcome === undefined || outcome.kind === 'refused' || outcome.kind === 'site') return outcome;
  // A start that names PORT listens there, and so does what heeds the variable.
  const { plan, detected } = outcome;
  const isKnown = !['default', 'framework'].includes(detected.portSource) || plan.start.includes('$PORT');
  if (isKnown || !['node', 'go', 'rust'].includes(plan.provider)) return outcome;
  const port = source.buildsDockerfiles ? undefined : portOfDockerfile(source, folder);
  if (port === undefined) return outcome;
  const signal = { path: 'Dockerfile', detail: `It names port ${port}` };
  return {
    ...outcome,
    detected: { ...detected, port, portSource: 'dockerfile', signals: [...detected.signals, signal] },
    plan: { ...plan, port },
  };
}
