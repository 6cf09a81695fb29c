import type { Facts } from '../../../protocol/agent.ts';
import type { Engine } from './engine.ts';

type Known = Pick<Facts, 'runtimeVersion' | 'holds'>;
type Info = { MemoryLimit?: boolean; CpuCfsQuota?: boolean; SecurityOptions?: string[] | null };

/** The capabilities of this engine. One that cannot be reached has none, with that as the reason. */
export async function facts(engine: Engine): Promise<Known> {
  try {
    const { Version } = await engine.version();
    const info = (await engine.ask((docker) => docker.info())) as Info;
    const rootless = info.SecurityOptions?.includes('name=rootless') ?? false;
    const limits = rootless
      ? 'This engine runs without root and was not given control of it; see "Limiting resources" in Docker\'s page on rootless mode.'
      : 'The kernel of this machine does not give the Docker engine control of it.';
    const owner = process.getuid?.() === 0;
    return {
      runtimeVersion: `docker ${/^[\d.]+\d/.exec(Version)?.[0] ?? Version}`,
      holds: {
        memoryLimit: answer(info.MemoryLimit === true, limits),
        cpuLimit: answer(info.CpuCfsQuota === true, limits),
        ownUser: { holds: true },
        isolation: { holds: true },
        separation: { holds: true },
        logRotation: { holds: true },
        fixedPorts: { holds: true },
        volumeUsage: answer(
          owner,
          'The agent is not running as root, so it cannot look into the volumes of other users.',
        ),
      },
    };
  } catch (error) {
    const no = { holds: false, why: error instanceof Error ? error.message : String(error) };
    const all = {
      memoryLimit: no,
      cpuLimit: no,
      ownUser: no,
      isolation: no,
      separation: no,
      logRotation: no,
      volumeUsage: no,
      fixedPorts: no,
    };
    return { runtimeVersion: 'docker', holds: all };
  }
}

function answer(holds: boolean, why: string): { holds: boolean; why?: string } {
  return holds ? { holds } : { holds, why };
}

const freshMilliseconds = 10_000;

/** Memory use of containers, read in the background because the engine is slow to answer. */
export class MemoryUse {
  readonly #engine: Engine;
  readonly #known = new Map<string, { at: number; bytes: number | undefined }>();
  #asking: Promise<void> = Promise.resolve();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  of(container: string): number | undefined {
    const known = this.#known.get(container);
    if (known === undefined || Date.now() - known.at > freshMilliseconds) {
      this.#known.set(container, { at: Date.now(), bytes: known?.bytes });
      this.#asking = this.#asking.then(() => this.#look(container));
    }
    return known?.bytes;
  }

  /** Forgets all that do not run. */
  keep(running: ReadonlySet<string>): void {
    for (const container of this.#known.keys()) if (!running.has(container)) this.#known.delete(container);
  }

  async #look(container: string): Promise<void> {
    const once = { stream: false, 'one-shot': true } as const;
    const found = await this.#engine.ask((docker) => docker.getContainer(container).stats(once)).catch(() => undefined);
    const known = this.#known.get(container);
    if (known === undefined || found?.memory_stats?.usage === undefined) return;
    const { usage, stats } = found.memory_stats;
    // Pages of files that can be dropped any time are not counted, as `docker stats` does not.
    const files = stats?.total_inactive_file ?? stats?.inactive_file ?? 0;
    this.#known.set(container, { at: known.at, bytes: Math.max(0, usage - files) });
  }
}
