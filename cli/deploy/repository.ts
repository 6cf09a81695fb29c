import type { ItemBody } from '../../api/change-sets/item-bodies.ts';
import { noSource, type ServiceSource } from '../../domain/services/settings.ts';
import { UsageError } from '../engine/command.ts';
import { Rest } from '../engine/rest.ts';
import { said } from '../engine/table.ts';
import { namedConnection } from '../git-connection.ts';
import type { Environment } from '../place/chosen.ts';
import type { Here } from '../place/here.ts';
import { changesFor } from './apply-draft.ts';
import { type GitSource, repositoryOf } from './image-source.ts';
import type { Interrupt } from './interrupt.ts';
import { type Complete, createMissing } from './missing.ts';
import type { Target } from './target.ts';

interface RepositoryOptions {
  port: number | undefined;
  variables: readonly string[];
}

/** The service whose source becomes that repository, and the changes that make it so. */
export async function withRepository(
  place: Here,
  target: Target,
  source: GitSource,
  wanted: RepositoryOptions,
  interrupt: Interrupt,
): Promise<{ to: Complete; items: ItemBody[] }> {
  const { rest } = place;
  const built = await sourceOf(rest, source);
  if (target.environment !== undefined) refuseOtherBranch(target.environment, source);
  const to = await createMissing(place, target, wanted.port, interrupt);
  await followBranch(rest, to.environment, source, interrupt);
  return { to, items: await changesFor(rest, to, { source: built, ...wanted }) };
}

async function sourceOf(rest: Rest, source: GitSource): Promise<ServiceSource> {
  const { url, context = '', connection } = source;
  const base = { ...noSource, kind: 'git' as const, context };
  if (connection === undefined) return { ...base, gitUrl: url };
  const { id } = await namedConnection(rest, connection);
  return { ...base, gitConnectionId: id, repository: repositoryOf(source) };
}

function refuseOtherBranch({ slug, gitBranch }: Environment, { branch }: GitSource): void {
  if (branch === undefined || gitBranch === '' || gitBranch === branch) return;
  throw new UsageError(
    said`${slug} follows the branch ${gitBranch}, as all of its services do: leave out --branch, deploy to another environment (\`./ballast env create\`), or build ${branch} once by \`./ballast build create --branch ${branch} --follow\`.`,
  );
}

/** The branch is the environment's, so that pushes to it are deployed there from then on. */
async function followBranch(
  rest: Rest,
  environment: Environment,
  source: GitSource,
  interrupt: Interrupt,
): Promise<void> {
  refuseOtherBranch(environment, source);
  const { branch } = source;
  if (branch === undefined || environment.gitBranch === branch) return;
  const path = `/environments/${environment.id}`;
  const always = new Rest(rest);
  await rest.call('PATCH', path, { gitBranch: branch });
  interrupt.undoneBy(() => always.call('PATCH', path, { gitBranch: '' }));
  process.stderr.write(said`${environment.slug} follows the branch ${branch} from now on.\n`);
}
