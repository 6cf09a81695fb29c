import { expect } from 'vitest';
import { through } from '../agents/kept-machine.ts';
import { freePort } from '../ground/free-port.ts';
import { type CommandResult, runBallast } from '../installation/ballast-command.ts';
import { Installation } from '../installation/installation.ts';

type Token = Awaited<ReturnType<Installation['token']>>;

/** An installation whose own cluster builds, as programs of an administrator use it: by the API and by commands. */
export class BuildingCluster {
  readonly installation: Installation;
  readonly #as: Token;
  readonly #env: Record<string, string>;

  private constructor(installation: Installation, as: Token) {
    this.installation = installation;
    this.#as = as;
    this.#env = { ...installation.env, BALLAST_URL: installation.url, BALLAST_TOKEN: as.token };
  }

  static async start(name: string, settings: Record<string, string> = {}): Promise<BuildingCluster> {
    const cluster = { LOCAL_CLUSTER: 'true', LOCAL_DRIVER: 'process', INGRESS_PORT: String(await freePort()) };
    const installation = await Installation.start(name, { ...cluster, ...settings });
    try {
      const building = new BuildingCluster(installation, await installation.token('admin'));
      await installation.until('the local cluster is ready', async () =>
        / ready /.test((await building.ballast('cluster', 'list')).stdout),
      );
      return building;
    } catch (error) {
      await installation.remove();
      throw error;
    }
  }

  async ballast(...words: string[]): Promise<CommandResult> {
    return await runBallast(words, this.#env);
  }

  /** Fails where it is refused. */
  async call<Answer>(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
    const sent = { as: this.#as, ...(body === undefined ? {} : { body }) };
    const answered = await this.installation.call(method, `/api/v1${path}`, sent);
    if (answered.status >= 300) throw new Error(`${method} ${path}: ${answered.status} ${answered.text}`);
    return answered.body as Answer;
  }

  /** Deploys by these words, and answers what asks the address that came of it. A failure says the end of the last build's log. */
  async deploy(...words: string[]): Promise<(path?: string) => Promise<{ status: number; body: string }>> {
    const { code, stdout, stderr } = await this.ballast('deploy', ...words, '--json');
    expect(code, code === 0 ? '' : `${stderr}\n${await this.#lastLog()}`).toBe(0);
    this.#unsaid(`${stdout}${stderr}`);
    const { addresses }: { addresses: string[] } = JSON.parse(stdout);
    const { hostname, port } = new URL(addresses[0] ?? '');
    return (path) => through(`http://127.0.0.1:${port}`, hostname, path);
  }

  async close(): Promise<void> {
    await this.installation.remove();
  }

  async #lastLog(): Promise<string> {
    const { items } = await this.call<{ items: { id: string }[] }>('GET', '/builds?limit=1');
    return (await this.ballast('build', 'log', items[0]?.id ?? '')).stdout.split('\n').slice(-80).join('\n');
  }

  /** Secrets of the installation are in nothing that a command says. */
  #unsaid(said: string): void {
    for (const secret of this.installation.secrets) expect(said).not.toContain(secret);
  }
}
