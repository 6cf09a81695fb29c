import { createHash } from 'node:crypto';
import { createReadStream, type ReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Release } from '../../protocol/agent.ts';
import type { ReleaseProof } from '../../protocol/release-proof.ts';

declare module '../engine/server/server-parts.ts' {
  interface ServerParts {
    /** The agent as it is served to machines. */
    readonly agentProgram: AgentProgram | undefined;
  }
}

/** How machines get the agent. It is made and signed elsewhere: nothing that serves requests can. */
export interface AgentProgram {
  installScript(parts: { url: string; release: Release; proof: ReleaseProof; runtime: Runtime }): Promise<string>;
}

/** The Node of this very process, for machines of the same kind that have none. */
interface Runtime {
  os: string;
  arch: string;
  /** `sha256:` and hexadecimal digits. */
  digest: string;
  sizeBytes: number;
}

let known: Promise<Runtime> | undefined;

/** The file of the Node that runs this process. Read once, when somebody asks for the first time. */
export function runtime(): Promise<Runtime> {
  known ??= measure().catch((error: unknown) => {
    known = undefined;
    throw error;
  });
  return known;
}

export function openRuntime(): ReadStream {
  return createReadStream(process.execPath);
}

async function measure(): Promise<Runtime> {
  const hash = createHash('sha256');
  await pipeline(openRuntime(), hash);
  const { size } = await stat(process.execPath);
  return { os: process.platform, arch: process.arch, digest: `sha256:${hash.digest('hex')}`, sizeBytes: size };
}
