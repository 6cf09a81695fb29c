import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { Releases } from '../../agent/update/releases.ts';
import { Applications } from '../applications/applications.ts';
import { type Known, known, type Watch, watchProcesses } from '../applications/instance-processes.ts';
import { freePort } from '../ground/free-port.ts';
import { runBallast } from '../installation/ballast-command.ts';
import { Installation, type Session } from '../installation/installation.ts';
import type { Credential } from '../installation/running-api.ts';

export interface ShownCluster {
  id: string;
  name: string;
  status: string;
}

/** An installation that an earlier version has started, with a cluster on this machine and applications that run there. */
export class EarlierInstallation {
  readonly installation: Installation;
  readonly applications: Applications;
  readonly admin: Credential;
  readonly ingressPort: number;
  readonly #checkout: string;

  private constructor(
    made: Pick<EarlierInstallation, 'installation' | 'applications' | 'admin' | 'ingressPort'>,
    checkout: string,
  ) {
    this.installation = made.installation;
    this.applications = made.applications;
    this.admin = made.admin;
    this.ingressPort = made.ingressPort;
    this.#checkout = checkout;
  }

  static async start(name: string, checkout: string): Promise<EarlierInstallation> {
    const ingressPort = await freePort();
    const local = { LOCAL_CLUSTER: 'true', LOCAL_DRIVER: 'process', INGRESS_PORT: String(ingressPort) };
    const installation = await Installation.prepare(name, local);
    try {
      const program = join(checkout, 'ballast');
      await installation.start(program);
      const words = ['token', 'create', '--name', 'admin', '--role', 'admin', '--json'];
      const { stdout } = await runBallast(words, installation.env, program);
      const { token, secret }: { token: { id: string }; secret: string } = JSON.parse(stdout);
      const admin = { token: secret, id: token.id };
      await installation.until('its cluster is there', async () => (await clusters(installation, admin)).length === 1);
      const applications = await Applications.on(installation, admin);
      const ready = async () => (await applications.cluster())?.status === 'ready';
      await installation.until('its agent is there', ready, 120);
      await applications.apply({ name: 'shop', replicas: 3 });
      await applications.apply({ name: 'idle', kind: 'worker' });
      await applications.applied('shop', 120);
      await applications.applied('idle', 120);
      return new EarlierInstallation({ installation, applications, admin, ingressPort }, checkout);
    } catch (error) {
      await installation.remove();
      throw error;
    }
  }

  clusters(): Promise<ShownCluster[]> {
    return clusters(this.installation, this.admin);
  }

  get agentHome(): string {
    return realpathSync(join(this.installation.home, 'agent'));
  }

  /** The release that its agent's home says is to run. */
  release(): string {
    return new Releases(this.agentHome).read()?.current ?? '';
  }

  async known(): Promise<Known> {
    const shown = await Promise.all(['shop', 'idle'].map((name) => this.applications.instances(name)));
    return known(this.agentHome, shown.flat());
  }

  /** Looks at the processes of the instances all the time. */
  watch({ instances }: Known): Watch {
    const ids = instances.map(({ id }) => id);
    return watchProcesses(this.agentHome, ids);
  }

  /** By the earlier version: an organization, and a session of its owner. */
  async organization(): Promise<{ id: string; slug: string; owner: Session }> {
    return JSON.parse(await this.#ask('organization'));
  }

  /** By the earlier version: a signal without a body, which ended its clusters as failed. */
  async failCluster(): Promise<void> {
    await this.#ask('fail', `cluster/${this.applications.clusterId}`);
  }

  /** By the earlier version: a message that cannot be told blocks a cluster. Answers the actor. */
  async blockCluster(id: string): Promise<string> {
    const actor = `cluster/${id}`;
    await this.#ask('poison', actor);
    const { installation } = this;
    await installation.until(`${actor} is blocked`, async () => {
      return (await installation.readiness())?.poisoned.some(({ actorId }) => actorId === actor);
    });
    return actor;
  }

  async #ask(...words: string[]): Promise<string> {
    const program = join(import.meta.dirname, 'inside-earlier.ts');
    const { env } = this.installation;
    const { code, stdout, stderr } = await runBallast(
      ['exec', program, this.#checkout, ...words],
      env,
      join(this.#checkout, 'ballast'),
    );
    if (code !== 0) throw new Error(stderr);
    return stdout;
  }

  async remove(): Promise<void> {
    this.applications.close();
    await this.installation.remove();
  }
}

async function clusters(installation: Installation, as: Credential): Promise<ShownCluster[]> {
  const { body } = await installation.call('GET', '/api/v1/clusters', { as });
  return body.items as ShownCluster[];
}
