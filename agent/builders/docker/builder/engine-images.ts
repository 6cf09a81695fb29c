import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { type Engine, failureIn, saidBy, unless } from '../../../drivers/docker/engine.ts';
import { Refusal } from '../../../program/refusal.ts';

/** Why nothing is built with this engine; undefined if nothing speaks against it yet. */
export async function reasonAgainst(engine: Engine): Promise<string | undefined> {
  const { OSType, DockerRootDir } = (await engine.ask((docker) => docker.info())) as {
    OSType?: string;
    DockerRootDir: string;
  };
  if (OSType !== undefined && OSType !== 'linux') return `This Docker engine runs images of ${OSType}, not of Linux.`;
  return existsSync(DockerRootDir) ? undefined : notHere;
}

export const notHere =
  'The containers of this Docker engine are not processes that the agent sees, and it serves the network of builds: run the agent on the machine of the engine, outside of containers, or build with the driver process.';

/** An archive of the image, as `docker save` writes it. */
export async function savedImage(engine: Engine, id: string, signal: AbortSignal): Promise<IncomingMessage> {
  return await engine.open(`/images/${encodeURIComponent(id)}/get`, signal);
}

/** Has the engine pull an image that it does not have. */
export async function needImage(engine: Engine, name: string, signal: AbortSignal): Promise<void> {
  const found = await engine.ask((docker) => docker.getImage(name).inspect()).catch(unless(404));
  if (found !== undefined) return;
  const why = await pull(engine, name, signal).catch((error: unknown) => saidBy(error));
  signal.throwIfAborted();
  if (why !== undefined)
    throw new Refusal(
      `Builds need the image ${name}, which the Docker engine does not have and cannot pull: load it there, or name another place by --build-builder-image of the agent. It said: ${why}`,
    );
}

async function pull(engine: Engine, name: string, signal: AbortSignal): Promise<string | undefined> {
  return await failureIn(await engine.wait((docker) => docker.pull(name, { abortSignal: signal })), signal);
}
