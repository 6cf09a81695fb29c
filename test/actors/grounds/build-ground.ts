import { type BuildView, findBuild } from '../../../db/builds/builds.ts';
import { type BuildPiece, takeBuildOutput } from '../../../db/builds/output.ts';
import { type NewBuild, requestBuild } from '../../../db/builds/request-build.ts';
import { finishCommand, ownCommand } from '../../../db/commands/cluster-commands.ts';
import { type Effect, effect } from '../../../db/engine/effect.ts';
import { actorId } from '../../../domain/actors/actors.ts';
import { hostBound } from '../../../domain/services/image-fit.ts';
import { seedSource } from '../../builds/seed-source.ts';
import { until } from '../../ground/until.ts';
import { seedOrganization } from '../../seeds/seed.ts';
import { type SeededPlace, seedPlace } from '../../seeds/seed-place.ts';
import { tenantRow } from '../../seeds/tenant-row.ts';
import { type ActorsGround, tester } from '../actors.ts';
import { type ServedGround, servedGround } from './served-ground.ts';

type Outcome = Parameters<typeof finishCommand>[3]['outcome'];

/** Builds whose actors are served; what an agent would say is the test's to say. */
export class BuildGround {
  organizationId = '';
  #actors: ServedGround | undefined;

  async open(): Promise<void> {
    this.#actors = await servedGround();
    this.organizationId = await seedOrganization(this.actors.database);
  }

  async close(): Promise<void> {
    await this.#actors?.close();
  }

  /** After `stop`. */
  async serve(): Promise<void> {
    await this.#actors?.serveAgain();
  }

  async stop(): Promise<void> {
    await this.#actors?.stopServing();
  }

  get actors(): ActorsGround {
    if (this.#actors === undefined) throw new Error('It is not open.');
    return this.#actors;
  }

  place = (given: Parameters<typeof seedPlace>[2] = {}): Promise<SeededPlace> =>
    seedPlace(this.actors.database, this.organizationId, given);

  run = <T>(work: (effect: Effect) => Promise<T>): Promise<T> => effect(this.actors.database, tester, work);

  /** With a source of its own. */
  request = async (
    { organizationId, projectId, environmentId, serviceId }: SeededPlace,
    more: Partial<NewBuild> = {},
  ): Promise<string> => {
    const buildSourceId = await seedSource(this.actors.database, { organizationId, projectId, serviceId });
    const source = { kind: 'upload', buildSourceId } as const;
    const wanted = { organizationId, projectId, environmentId, serviceId, source };
    const id = await this.run((asking) =>
      requestBuild(asking, { ...wanted, trigger: 'upload', deploys: true, actorUserId: undefined, ...more }),
    );
    await this.deliver(id);
    return id;
  };

  /** Of a commit, as a push asks for it. */
  requestCommit = (place: SeededPlace, more: Partial<NewBuild> & { commit: string; ref?: string }): Promise<string> => {
    const { commit, ref = 'refs/heads/main', ...wanted } = more;
    const repository = { url: 'https://git.example.com/team/app.git', repository: 'team/app' };
    const source = { kind: 'git', ...repository, ref, commit, commitMessage: 'Say hello' } as const;
    return this.request(place, { trigger: 'push', source, ...wanted });
  };

  deliver = (id: string): Promise<unknown> => this.actors.delivery.deliver(actorId('build', id));

  handle = (id: string) => this.actors.temporal.client.workflow.getHandle(actorId('build', id));

  row = async (id: string): Promise<BuildView> => {
    const found = await findBuild(this.actors.database.kysely, this.organizationId, id);
    if (found === undefined) throw new Error(`The build ${id} is not there.`);
    return found;
  };

  becomes = (id: string, state: string) => until(state, async () => (await this.row(id)).state === state);

  /** Pieces of the agent's output, numbered from the given one on. */
  says = async (id: string, from: number, ...pieces: Omit<BuildPiece, 'number' | 'at'>[]): Promise<void> => {
    const numbered = pieces.map((piece, index) => ({ ...piece, number: from + index, at: new Date() }));
    const build = { id, organizationId: this.organizationId };
    await this.run((taking) => takeBuildOutput(taking, this.actors.keyring, build, numbered));
  };

  /** The agent's image, as the registry knows it. */
  pushed = async ({ serviceId }: SeededPlace, digest: string): Promise<void> => {
    const config = JSON.stringify({ os: 'linux', architecture: 'amd64' });
    const annotations = { [hostBound]: 'linux/amd64' };
    const content = Buffer.from(JSON.stringify({ schemaVersion: 2, annotations }));
    const manifest = { service_id: serviceId, digest, config, content };
    await tenantRow(this.actors.database, 'registry_manifest', this.organizationId, manifest);
  };

  ends = async (id: string, outcome: Outcome, message?: string): Promise<void> => {
    const { clusterId } = await this.row(id);
    const result = { attempt: 1, outcome, ...(message === undefined ? {} : { message }) };
    const cluster = { id: clusterId, organizationId: this.organizationId };
    await this.run((finishing) => finishCommand(finishing, cluster, id, result));
    await this.deliver(id);
  };

  /** Undefined: the agent has not been asked. */
  command = async (id: string) => {
    const { clusterId } = await this.row(id);
    const cluster = { id: clusterId, organizationId: this.organizationId };
    return await ownCommand(this.actors.database.kysely, cluster, id).executeTakeFirst();
  };
}
