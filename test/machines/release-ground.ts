import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptBundle } from '../../agent/bundle/kept-bundle.ts';
import type { Bundle } from '../../agent/bundle/make-bundle.ts';
import { installScript } from '../../agent/join/install-script.ts';
import { imageName, shortDigest } from '../../agent/update/download.ts';
import { Releases } from '../../agent/update/releases.ts';
import type { ReleaseProof } from '../../protocol/release-proof.ts';
import { type AgentPeer, agentPeer } from '../agents/agent-peer.ts';
import { agentHome, argumentsOf, processesNaming, runScript } from '../agents/installed-agent.ts';
import { type ReleaseSigner, releaseSigner } from '../agents/release-signer.ts';
import { until } from '../ground/until.ts';
import { skipTest } from '../run/not-run.ts';

export const environment = { BALLAST_NODE: process.execPath };
/** Programs that the script needs besides a Node. */
const installs = spawnSync('sh', ['-c', 'command -v curl && command -v openssl']).status === 0;
const unattended = ['--driver', 'process', '--ingress-port', '0', '--no-systemd'];

export interface Installing {
  token?: string;
  proof?: ReleaseProof;
  args?: string[];
  /** Behind the usual words. */
  more?: string[];
  /** Without it there is no Node, and OpenSSL verifies. */
  environment?: Record<string, string>;
}

/** The bundle of the agent, which is made once a run: it takes seconds. */
export function runBundle(): Promise<Bundle> {
  return keptBundle(join(tmpdir(), 'agent-bundle'));
}

/** The ground that releases of the agent are tested on: a home, a peer that has the bundle, and a key that signs. */
export class ReleaseGround {
  readonly bundle: Bundle;
  readonly peer: AgentPeer;
  readonly home = agentHome();
  readonly signer: ReleaseSigner = releaseSigner();
  /** Of the release that is installed. */
  readonly first: ReleaseProof;

  private constructor(bundle: Bundle, peer: AgentPeer) {
    this.bundle = bundle;
    this.peer = peer;
    this.first = this.signer.prove(bundle.digest);
  }

  static async on(bundle: Bundle): Promise<ReleaseGround> {
    const peer = await agentPeer();
    peer.bundles.set(bundle.digest, bundle.bytes);
    return new ReleaseGround(bundle, peer);
  }

  async close(): Promise<void> {
    await this.home.close();
    await this.peer.stop();
  }

  async install(options: Installing = {}) {
    if (!installs) await skipTest('installations of agents', 'install curl and openssl', 'curl', 'openssl');
    const { peer, signer } = this;
    const { token = peer.token, proof = this.first } = options;
    const { image, version, digest, bytes } = this.bundle;
    const release = { image, version, digest, sizeBytes: bytes.length };
    const script = installScript({ url: peer.url, release, proof });
    const usual = [...['--trust', signer.fingerprint, '--home', this.path()], ...unattended];
    const args = options.args ?? [...usual, ...(options.more ?? [])];
    return runScript(script, { args, input: `${token}\n`, environment: options.environment ?? environment });
  }

  offer(
    bytes: Buffer,
    confirmSeconds = 20,
    prove: (digest: string) => ReleaseProof | undefined = this.signer.prove,
  ): { id: string; release: string; image: string } {
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    const image = imageName(this.bundle.version, digest);
    const id = randomUUID();
    this.peer.bundles.set(digest, bytes);
    const proof = prove(digest);
    const body = {
      ...{ kind: 'update' as const, image, digest, sizeBytes: bytes.length, confirmSeconds },
      ...(proof === undefined ? {} : { proof }),
    };
    this.peer.commands.set(id, { id, attempt: 1, body });
    return { id, release: shortDigest(digest), image };
  }

  resultOf(id: string, seconds = 25) {
    return until('the result', async () => this.peer.results.find((told) => told.id === id)?.result, seconds);
  }

  path(): string {
    return join(this.home.path, 'agent');
  }

  state() {
    return new Releases(this.path()).read();
  }

  agents(): number[] {
    return processesNaming(this.path()).filter((pid) => argumentsOf(pid).includes('agent.mjs agent run'));
  }

  ingress(): number[] {
    return processesNaming(this.path()).filter((pid) => argumentsOf(pid).includes('ingress.mjs'));
  }
}
