import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import type { instanceSchema, workloadSchema } from '../../api/workloads/workload.ts';
import { sampleLayout } from '../images/sample-image.ts';
import { type CommandResult, runBallast } from '../installation/ballast-command.ts';
import type { Installation } from '../installation/installation.ts';
import type { Credential } from '../installation/running-api.ts';

export type ShownInstance = z.output<typeof instanceSchema>;
export type ShownWorkload = z.output<typeof workloadSchema>;

export interface Application {
  name: string;
  version?: string;
  command?: string[];
  kind?: 'http' | 'worker';
  replicas?: number;
  drainSeconds?: number;
}

/** The applications of the local cluster, as an administrator puts them there over the API. */
export class Applications {
  readonly clusterId: string;
  readonly #installation: Installation;
  readonly #admin: Credential;
  readonly #directory = mkdtempSync(join(tmpdir(), 'ballast-images-'));

  private constructor(installation: Installation, admin: Credential, clusterId: string) {
    this.#installation = installation;
    this.#admin = admin;
    this.clusterId = clusterId;
  }

  static async on(installation: Installation, as?: Credential): Promise<Applications> {
    const admin = as ?? (await installation.token('admin'));
    const { body } = await installation.call('GET', '/api/v1/clusters', { as: admin });
    const [local] = body.items as { id: string }[];
    if (local === undefined) throw new Error('There is no cluster.');
    return new Applications(installation, admin, local.id);
  }

  get admin(): Credential {
    return this.#admin;
  }

  async apply({ name, version = '1', command = [], kind = 'http', replicas = 1, drainSeconds = 10 }: Application) {
    const { layout } = await sampleLayout(join(this.#directory, `${name}-${version}`), { version });
    const process = {
      name: 'web',
      kind,
      args: command,
      replicas,
      drainSeconds,
      stabilizationSeconds: 0,
      ...(kind === 'http' ? { port: 8080 } : {}),
    };
    const path = `${this.path}/workloads/${name}`;
    const body = { image: { layout }, processes: [process] };
    const answer = await this.#installation.call('PUT', path, { as: this.#admin, body });
    if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${answer.text}`);
    return answer.body as unknown as ShownWorkload;
  }

  async remove(name: string): Promise<void> {
    await this.#installation.call('DELETE', `${this.path}/workloads/${name}`, { as: this.#admin });
  }

  /** Waits until the workload is as it shall be. */
  async applied(name: string, seconds = 60): Promise<ShownWorkload> {
    return await this.#installation.until(
      `${name} is applied`,
      async (see) => {
        const workload = see((await this.list())?.find((one) => one.name === name));
        return workload?.state === 'applied' ? workload : undefined;
      },
      seconds,
    );
  }

  /** Undefined while nobody answers. */
  async list(): Promise<ShownWorkload[] | undefined> {
    const answer = await this.#installation
      .call('GET', `${this.path}/workloads`, { as: this.#admin })
      .catch(() => undefined);
    return answer?.status === 200 ? (answer.body.items as ShownWorkload[]) : undefined;
  }

  async instances(name: string): Promise<ShownInstance[]> {
    return (await this.list())?.find((one) => one.name === name)?.instances ?? [];
  }

  async cluster(): Promise<Record<string, unknown> | undefined> {
    const answer = await this.#installation.call('GET', this.path, { as: this.#admin }).catch(() => undefined);
    return answer?.status === 200 ? answer.body : undefined;
  }

  /** `./ballast cluster …`, as an administrator. */
  command(...words: string[]): Promise<CommandResult> {
    const { env, url } = this.#installation;
    const token = 'token' in this.#admin ? this.#admin.token : '';
    return runBallast(['cluster', ...words], { ...env, BALLAST_URL: url, BALLAST_TOKEN: token });
  }

  get path(): string {
    return `/api/v1/clusters/${this.clusterId}`;
  }

  close(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
