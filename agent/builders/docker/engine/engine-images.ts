import type { IncomingMessage } from 'node:http';
import { type Engine, statusOf } from '../../../drivers/docker/engine.ts';

export const homeLabel = 'dev.ballast.build-home';
export const buildLabel = 'dev.ballast.build';

/** Whether this engine builds with BuildKit; if not, why. */
export async function reasonAgainst(engine: Engine): Promise<string | undefined> {
  const { OSType } = (await engine.ask((docker) => docker.info())) as { OSType?: string };
  if (OSType !== undefined && OSType !== 'linux') return `This Docker engine runs images of ${OSType}, not of Linux.`;
  return undefined;
}

/** The folder of the engine on its machine. */
export async function dataRootOf(engine: Engine): Promise<string> {
  const { DockerRootDir } = (await engine.ask((docker) => docker.info())) as { DockerRootDir: string };
  return DockerRootDir;
}

/** An archive of the image, as `docker save` writes it. */
export async function savedImage(engine: Engine, id: string, signal: AbortSignal): Promise<IncomingMessage> {
  return await engine.open(`/images/${encodeURIComponent(id)}/get`, signal);
}

export async function removeImage(engine: Engine, id: string): Promise<void> {
  await engine
    .ask((docker) => docker.getImage(id).remove({ force: true }))
    .catch((error: unknown) => {
      if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error;
    });
}

/** Images of builds of this agent that it did not live to take away. */
export async function removeLeftImages(engine: Engine, home: string): Promise<void> {
  const filters = { label: [`${homeLabel}=${home}`] };
  const images = await engine.ask((docker) => docker.listImages({ filters }));
  // One that somebody has named since is theirs.
  const unnamed = images.filter(({ RepoTags }) => (RepoTags ?? []).every((name) => name === '<none>:<none>'));
  for (const { Id } of unnamed) await removeImage(engine, Id);
}

/** Deletes of the build cache what was not used for longest, until it is no larger. */
export async function pruneCache(engine: Engine, keptBytes: number): Promise<void> {
  await engine.wait(async (docker) => {
    // Docker 28 (API 1.48) calls the first one deprecated, and knows the second.
    const query = `/build/prune?all=1&keep-storage=${keptBytes}&max-used-space=${keptBytes}&`;
    const options = {
      path: query,
      method: 'POST',
      statusCodes: { 200: true, 404: 'no BuildKit', 500: 'server error' },
    };
    await new Promise<void>((resolve, reject) => {
      docker.modem.dial(options, (error) => (error === null || error === undefined ? resolve() : reject(error)));
    });
  });
}
